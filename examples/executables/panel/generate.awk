# One library of the panel: 600 functions, 40 of them its interface, and a table of all of them, as a toolkit's
# classes have it. Each function calls its neighbour and one of another library's interface.
BEGIN {
	count = 600
	interface = 40
	split(others, other, " ")
	print "#define API __attribute__((visibility(\"default\")))"
	for (o = 1; o <= 4; o++)
		for (n = 0; n < interface; n++)
			printf "API unsigned %s_%d(unsigned, int);\n", other[o], n
	for (n = 0; n < count; n++)
		printf "%sunsigned %s_%d(unsigned, int);\n", n < interface ? "API " : "", self, n
	for (n = 0; n < count; n++) {
		printf "unsigned %s_%d(unsigned x, int depth)\n{\n", self, n
		printf "\tx = (x ^ %du) * 2654435761u;\n", n * 7919 + length(self)
		if (n == 0)
			print "\treturn x;\n}"
		else
			printf "\treturn depth ? x + %s_%d(x >> 3, depth - 1) : x ^ %s_%d(x, 0);\n}\n", \
				other[n % 4 + 1], n % interface, self, (n * 31 + 7) % n
	}
	printf "unsigned (*const %s_table[])(unsigned, int) = {\n", self
	for (n = 0; n < count; n++)
		printf "\t%s_%d,\n", self, n
	printf "};\nAPI unsigned %s_open(unsigned seed)\n{\n", self
	printf "\tfor (unsigned n = 0; n < 64; n++)\n\t\tseed = %s_table[(seed >> 7) %% %d](seed, 3);\n\treturn seed;\n}\n", self, count
}
