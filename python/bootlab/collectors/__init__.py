"""Each collector gets one kind of evidence out of a boot."""
