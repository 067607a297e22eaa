// SPDX-License-Identifier: MIT
//! Makes small `trace.dat` files, written from trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).

use std::io::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Plain,
    Zlib,
    Zstd,
}

const PAGE: usize = 4096;
const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
const FTRACE: [(&str, u16, &str, &str); 3] = [
    (
        "funcgraph_entry",
        11,
        "unsigned long func 8 8 0;int depth 16 4 1",
        "\"--> %ps (%d)\", (void *)REC->func, REC->depth",
    ),
    (
        "funcgraph_exit",
        10,
        "unsigned long func 8 8 0;int depth 16 4 1;unsigned int overrun 20 4 0;unsigned long long calltime 24 8 0;\
         unsigned long long rettime 32 8 0",
        "\"<-- %ps (%d)\", (void *)REC->func, REC->depth",
    ),
    (
        "print",
        5,
        "unsigned long ip 8 8 0;char buf[] 16 0 0",
        "\"%ps: %s\", (void *)REC->ip, REC->buf",
    ),
];
const EVENTS: [(&str, &str, u16, &str, &str); 4] = [
    ("initcall", "initcall_level", 23, "__data_loc char[] level 8 4 0", "\"level=%s\", __get_str(level)"),
    ("initcall", "initcall_start", 22, "initcall_t func 8 8 0", "\"func=%pS\", REC->func"),
    ("initcall", "initcall_finish", 21, "initcall_t func 8 8 0;int ret 16 4 1", "\"func=%pS ret=%d\", REC->func, REC->ret"),
    (
        "sched",
        "sched_switch",
        300,
        "char prev_comm[16] 8 16 0;pid_t prev_pid 24 4 1;int prev_prio 28 4 1;long prev_state 32 8 1;\
         char next_comm[16] 40 16 0;pid_t next_pid 56 4 1;int next_prio 60 4 1",
        "\"prev_comm=%s prev_pid=%d next_comm=%s next_pid=%d\", REC->prev_comm, REC->prev_pid, REC->next_comm, REC->next_pid",
    ),
];
const SYMBOLS: &str = "0000ffff00001000 t demo_init\n0000ffff00002000 T demo_probe\n0000ffff00003000 T demo_delay\n\
0000ffff00004000 t demo_work\t[mod]\n";

fn format(name: &str, id: u16, fields: &str, print: &str) -> String {
    let mut text = format!("name: {name}\nID: {id}\nformat:\n{COMMON}");
    for field in fields.split(';') {
        let words: Vec<&str> = field.trim().rsplitn(4, ' ').collect();
        let [signed, size, offset, name] = words[..] else {
            panic!("a field has four words")
        };
        text.extend([format!(
            "	field:{name};	offset:{offset};	size:{size};	signed:{signed};
"
        )]);
    }
    text + &format!("\nprint fmt: {print}\n")
}

pub struct Writer {
    version: u32,
    packing: Packing,
    big: bool,
    commit_size: usize,
    /// Records of a page.
    pub a_page: usize,
    cpus: [Vec<(u64, Vec<u8>)>; 2],
}

impl Writer {
    pub fn new(version: u32, packing: Packing, big: bool, commit_size: usize) -> Self {
        Self {
            version,
            packing,
            big,
            commit_size,
            a_page: 3,
            cpus: [Vec::new(), Vec::new()],
        }
    }

    fn num(&self, value: u64, size: usize) -> Vec<u8> {
        if self.big {
            value.to_be_bytes()[8 - size..].to_vec()
        } else {
            value.to_le_bytes()[..size].to_vec()
        }
    }

    fn record(&mut self, cpu: usize, at: u64, id: u16, pid: u32, body: &[Vec<u8>]) {
        let mut bytes = self.num(u64::from(id), 2);
        bytes.extend([0, 0]);
        bytes.extend(self.num(u64::from(pid), 4));
        bytes.extend(body.concat());
        bytes.resize(bytes.len().div_ceil(4) * 4, 0);
        self.cpus[cpu].push((at, bytes));
    }

    pub fn level(&mut self, cpu: usize, at: u64, pid: u32, level: &str) {
        let place = self.num(((level.len() as u64 + 1) << 16) + 12, 4);
        self.record(cpu, at, 23, pid, &[place, level.as_bytes().to_vec(), vec![0]]);
    }

    pub fn initcall_start(&mut self, cpu: usize, at: u64, pid: u32, func: u64) {
        self.record(cpu, at, 22, pid, &[self.num(func, 8)]);
    }

    pub fn initcall_finish(&mut self, cpu: usize, at: u64, pid: u32, func: u64, ret: i32) {
        self.record(
            cpu,
            at,
            21,
            pid,
            &[self.num(func, 8), self.num(u64::from(ret as u32), 4)],
        );
    }

    pub fn graph_entry(&mut self, cpu: usize, at: u64, pid: u32, func: u64, depth: u64) {
        self.record(cpu, at, 11, pid, &[self.num(func, 8), self.num(depth, 4)]);
    }

    pub fn graph_exit(&mut self, cpu: usize, pid: u32, func: u64, depth: u64, (call, ret): (u64, u64)) {
        let body = [
            self.num(func, 8),
            self.num(depth, 4),
            vec![0; 4],
            self.num(call, 8),
            self.num(ret, 8),
        ];
        self.record(cpu, ret, 10, pid, &body);
    }

    pub fn print(&mut self, cpu: usize, at: u64, pid: u32, text: &str) {
        self.record(
            cpu,
            at,
            5,
            pid,
            &[self.num(0xffff_0000_1004, 8), text.as_bytes().to_vec(), vec![0]],
        );
    }

    pub fn switch(&mut self, cpu: usize, at: u64, prev: (&str, u32), next: (&str, u32)) {
        let comm = |name: &str| {
            let mut bytes = name.as_bytes().to_vec();
            bytes.resize(16, 0);
            bytes
        };
        let pid = |pid: u32| self.num(u64::from(pid), 4);
        let body = [
            comm(prev.0),
            pid(prev.1),
            self.num(120, 4),
            self.num(0, 8),
            comm(next.0),
            pid(next.1),
            self.num(120, 4),
        ];
        self.record(cpu, at, 300, prev.1, &body);
    }

    /// The pages of a processor: few records a page, so that pages are crossed.
    fn pages(&self, cpu: usize) -> Vec<u8> {
        let mut out = Vec::new();
        for records in self.cpus[cpu].chunks(self.a_page) {
            let mut data = Vec::new();
            let mut now = records[0].0;
            for (at, bytes) in records {
                let mut delta = at - now;
                now = *at;
                let head = |kind: u64, delta: u64| {
                    self.num(
                        if self.big {
                            kind << 27 | delta
                        } else {
                            delta << 5 | kind
                        },
                        4,
                    )
                };
                if delta >= 1 << 27 {
                    data.extend(head(30, delta & ((1 << 27) - 1)));
                    data.extend(self.num(delta >> 27, 4));
                    delta = 0;
                }
                if bytes.len() > 28 * 4 {
                    data.extend(head(0, delta));
                    data.extend(self.num(bytes.len() as u64 + 4, 4));
                } else {
                    data.extend(head(bytes.len() as u64 / 4, delta));
                }
                data.extend(bytes);
            }
            let mut page = self.num(records[0].0, 8);
            page.extend(self.num(data.len() as u64, self.commit_size));
            page.extend(data);
            page.resize(PAGE, 0);
            out.extend(page);
        }
        out
    }

    fn header_info(&self) -> Vec<u8> {
        let page = format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{0};\tsigned:1;\n\
             \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:{1};\tsize:{2};\tsigned:0;\n",
            self.commit_size,
            8 + self.commit_size,
            PAGE - 8 - self.commit_size
        );
        let event = "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n\
                     \tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
        let mut out = b"header_page\0".to_vec();
        out.extend(self.num(page.len() as u64, 8));
        out.extend(page.as_bytes());
        out.extend(b"header_event\0");
        out.extend(self.num(event.len() as u64, 8));
        out.extend(event.as_bytes());
        out
    }

    fn sized(&self, text: &str, size: usize) -> Vec<u8> {
        [self.num(text.len() as u64, size), text.as_bytes().to_vec()].concat()
    }

    fn ftrace_formats(&self) -> Vec<u8> {
        let texts = FTRACE.map(|(name, id, fields, print)| self.sized(&format(name, id, fields, print), 8));
        [self.num(FTRACE.len() as u64, 4), texts.concat()].concat()
    }

    fn event_formats(&self) -> Vec<u8> {
        let mut out = self.num(2, 4);
        for system in ["initcall", "sched"] {
            let events: Vec<_> = EVENTS.iter().filter(|event| event.0 == system).collect();
            out.extend(system.as_bytes());
            out.push(0);
            out.extend(self.num(events.len() as u64, 4));
            for (_, name, id, fields, print) in events {
                out.extend(self.sized(&format(name, *id, fields, print), 8));
            }
        }
        out
    }

    fn pack(&self, bytes: &[u8]) -> Vec<u8> {
        match self.packing {
            Packing::Plain => bytes.to_vec(),
            Packing::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(bytes).expect("a vector takes everything");
                encoder.finish().expect("a vector takes everything")
            }
            Packing::Zstd => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
        }
    }

    pub fn finish(&self) -> Vec<u8> {
        let mut out = b"\x17\x08\x44tracing".to_vec();
        out.extend(format!("{}\0", self.version).as_bytes());
        out.extend([u8::from(self.big), 8]);
        out.extend(self.num(PAGE as u64, 4));
        if self.version == 6 {
            self.finish_v6(out)
        } else {
            self.finish_v7(out)
        }
    }

    fn finish_v6(&self, mut out: Vec<u8>) -> Vec<u8> {
        out.extend(self.header_info());
        out.extend(self.ftrace_formats());
        out.extend(self.event_formats());
        out.extend(self.sized(SYMBOLS, 4));
        out.extend(self.sized("", 4));
        out.extend(self.sized("1 swapper/0\n30 kworker/0:1\n", 8));
        out.extend(self.num(2, 4));
        out.extend(b"flyrecord\0");
        let pages = [self.pages(0), self.pages(1)];
        let start = (out.len() + 32).div_ceil(PAGE) * PAGE;
        for (offset, page) in [(start, &pages[0]), (start + pages[0].len(), &pages[1])] {
            out.extend(self.num(offset as u64, 8));
            out.extend(self.num(page.len() as u64, 8));
        }
        out.resize(start, 0);
        [out, pages.concat()].concat()
    }

    fn section(&self, out: &mut Vec<u8>, id: u64, body: &[u8]) -> u64 {
        let at = out.len() as u64;
        let packed = self.packing != Packing::Plain;
        out.extend(self.num(id, 2));
        out.extend(self.num(u64::from(packed), 2));
        out.extend(self.num(0, 4));
        let bytes = self.pack(body);
        if packed {
            out.extend(self.num(bytes.len() as u64 + 8, 8));
            out.extend(self.num(bytes.len() as u64, 4));
            out.extend(self.num(body.len() as u64, 4));
        } else {
            out.extend(self.num(bytes.len() as u64, 8));
        }
        out.extend(bytes);
        at
    }

    fn finish_v7(&self, mut out: Vec<u8>) -> Vec<u8> {
        let name: &[u8] = match self.packing {
            Packing::Plain => b"none\0\0",
            Packing::Zlib => b"zlib\x001\0",
            Packing::Zstd => b"zstd\x001\0",
        };
        out.extend(name);
        let options_at = out.len();
        out.extend([0; 8]);
        let texts = [
            (16, self.header_info()),
            (17, self.ftrace_formats()),
            (18, self.event_formats()),
            (19, self.sized(SYMBOLS, 4)),
            (21, self.sized("1 swapper/0\n30 kworker/0:1\n", 8)),
        ];
        let mut options = Vec::new();
        for (id, body) in &texts {
            let at = self.section(&mut out, *id, body);
            options.push((*id, self.num(at, 8)));
        }
        let (buffer_at, packed) = (out.len(), self.packing != Packing::Plain);
        out.extend(self.num(3, 2));
        out.extend(self.num(u64::from(packed), 2));
        out.extend(self.num(0, 4));
        let size_at = out.len();
        out.extend([0; 8]);
        if !packed {
            out.resize(out.len().div_ceil(PAGE) * PAGE, 0);
        }
        let mut buffer = [
            self.num(buffer_at as u64, 8),
            b"\0local\0".to_vec(),
            self.num(PAGE as u64, 4),
        ]
        .concat();
        buffer.extend(self.num(2, 4));
        for cpu in 0..2 {
            let pages = self.pages(cpu);
            let (at, mut data) = (out.len() as u64, pages.clone());
            if packed {
                // A chunk for each page, so that chunks are crossed.
                data = self.num((pages.len() / PAGE) as u64, 4);
                for page in pages.chunks(PAGE) {
                    let bytes = self.pack(page);
                    data.extend(self.num(bytes.len() as u64, 4));
                    data.extend(self.num(PAGE as u64, 4));
                    data.extend(bytes);
                }
            }
            buffer.extend(self.num(cpu as u64, 4));
            buffer.extend(self.num(at, 8));
            buffer.extend(self.num(data.len() as u64, 8));
            out.extend(data);
        }
        let size = self.num((out.len() - size_at - 8) as u64, 8);
        out[size_at..size_at + 8].copy_from_slice(&size);
        options.push((3, buffer));
        options.push((8, self.num(2, 4)));
        options.push((0, self.num(0, 8)));
        let mut body = Vec::new();
        for (id, data) in options {
            body.extend(self.num(id, 2));
            body.extend(self.num(data.len() as u64, 4));
            body.extend(data);
        }
        let at = self.section(&mut out, 0, &body);
        let at = self.num(at, 8);
        out[options_at..options_at + 8].copy_from_slice(&at);
        out
    }
}

/// Where the sizes of the first packed section stand (files of [`Packing::Zlib`], little endian).
pub fn first_packed_section(file: &[u8]) -> usize {
    let name = file
        .windows(5)
        .position(|bytes| bytes == b"zlib\0")
        .expect("a packed file");
    name + 5 + 2 + 8 + 16
}
