#!/usr/bin/env python3
"""Writes the topologies of this folder but vm_of_two_cpus.xml (see README.md). Usage: make.py, in this folder."""


def bits(cpus):
    """A set as hwloc writes it: words of 32 bits, the highest first, empty words in between left empty."""
    value = sum(1 << c for c in cpus)
    words = []
    while value:
        words.insert(0, value & 0xFFFFFFFF)
        value >>= 32
    last = len(words) - 1
    return ",".join("0x%08x" % w if w else "0x0" if i == last else "" for i, w in enumerate(words)) or "0x0"


class Machine:
    """Objects are (type, attributes, children); a leaf is a hardware thread, told by its number."""

    def __init__(self, offline=(), denied=(), kinds=()):
        self.offline, self.denied, self.kinds = set(offline), set(denied), kinds
        self.next = 1

    def cpus(self, o):
        return {o} if isinstance(o, int) else set().union(*[self.cpus(c) for c in o[2]] or [set()])

    def walk(self, o, node, depth, out):
        kind, attributes, children = ("PU", {"os_index": o}, []) if isinstance(o, int) else o
        attributes = dict(attributes)
        node = attributes.pop("node", node)
        memory = attributes.pop("memory", [])
        cpus = self.cpus(o)
        if kind == "PU" and o in self.offline:
            return
        nodes = {node} if isinstance(node, int) else set(node)
        text = 'type="%s"' % kind
        for name, value in attributes.items():
            text += ' %s="%s"' % (name, value)
        text += ' cpuset="%s" complete_cpuset="%s"' % (bits(cpus - self.offline), bits(cpus))
        if kind == "Machine":
            text += ' allowed_cpuset="%s"' % bits(cpus - self.offline - self.denied)
        text += ' nodeset="%s" complete_nodeset="%s"' % (bits(nodes), bits(nodes))
        if kind == "Machine":
            text += ' allowed_nodeset="%s"' % bits(nodes)
        text += ' gp_index="%d"' % self.next
        self.next += 1
        pad = "  " * depth
        if not children:
            out.append("%s<object %s/>" % (pad, text))
            return
        out.append("%s<object %s>" % (pad, text))
        for number, size in memory:
            out.append(
                '%s  <object type="NUMANode" os_index="%d" cpuset="%s" complete_cpuset="%s" nodeset="%s" '
                'complete_nodeset="%s" gp_index="%d" local_memory="%d"/>'
                % (pad, number, bits(cpus - self.offline), bits(cpus), bits({number}), bits({number}), self.next, size)
            )
            self.next += 1
        for child in children:
            self.walk(child, node, depth + 1, out)
        out.append("%s</object>" % pad)

    def write(self, path, children, nodes, memory=()):
        out = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
            '<topology version="2.0">',
        ]
        attributes = {"os_index": 0, "node": nodes, "memory": list(memory)}
        self.walk(("Machine", attributes, children), nodes, 1, out)
        for efficiency, cpus, name in self.kinds:
            out.append('  <cpukind cpuset="%s" forced_efficiency="%d">' % (bits(cpus), efficiency))
            out.append('    <info name="CoreType" value="%s"/>' % name)
            out.append("  </cpukind>")
        out.append("</topology>")
        with open(path, "w") as f:
            f.write("\n".join(out) + "\n")


GIB = 1 << 30


def core(number, *threads):
    return ("Core", {"os_index": number}, list(threads))


def l2(size, *children):
    return ("L2Cache", {"cache_size": size, "depth": 2, "cache_linesize": 64, "cache_type": 0}, list(children))


def l3(size, children):
    return ("L3Cache", {"cache_size": size, "depth": 3, "cache_linesize": 64, "cache_type": 0}, list(children))


def package(number, node, memory, children):
    return ("Package", {"os_index": number, "node": node, "memory": memory}, children)


def two_packages():
    """16 cores; Linux numbers all first hardware threads, then all second ones."""
    packages = [
        package(p, p, [(p, 64 * GIB)], [l3(22 << 20, [l2(1 << 20, core(c, 8 * p + c, 16 + 8 * p + c)) for c in range(8)])])
        for p in range(2)
    ]
    Machine().write("two_packages_two_nodes_smt.xml", packages, (0, 1))


def hybrid():
    """Performance cores with two threads each, numbered in pairs; efficient cores by four on one L2."""
    fast = [l2(1280 << 10, core(c, 2 * c, 2 * c + 1)) for c in range(8)]
    slow = [l2(2 << 20, *[core(8 + 4 * k + c, 16 + 4 * k + c) for c in range(4)]) for k in range(2)]
    kinds = [(0, range(16, 24), "IntelAtom"), (1, range(16), "IntelCore")]
    Machine(kinds=kinds).write("hybrid_8_fast_8_slow.xml", [package(0, 0, [(0, 32 * GIB)], [l3(30 << 20, fast + slow)])], (0,))


def arm():
    """big.LITTLE without a last-level cache in the description, the small cores first."""
    clusters = [l2(512 << 10, *[core(4 * k + c, 4 * k + c) for c in range(4)]) for k in range(2)]
    kinds = [(0, range(4), "small"), (1, range(4, 8), "big")]
    Machine(kinds=kinds).write("arm_4_small_4_big.xml", [package(0, 0, [(0, 4 * GIB)], clusters)], (0,))


def several_l3():
    """A cache for each four cores; second threads behind all first ones."""
    caches = [l3(16 << 20, [l2(512 << 10, core(4 * k + c, 4 * k + c, 16 + 4 * k + c)) for c in range(4)]) for k in range(4)]
    Machine().write("amd_four_l3.xml", [package(0, 0, [(0, 128 * GIB)], caches)], (0,))


def sub_numa():
    """Two nodes in one package, each with its half of the cache."""
    groups = []
    for n in range(2):
        cores = [l2(1 << 20, core(6 * n + c, 6 * n + c)) for c in range(6)]
        groups.append(("Group", {"node": n, "memory": [(n, 96 * GIB)]}, [l3(18 << 20, cores)]))
    Machine().write("one_package_two_nodes.xml", [package(0, (0, 1), [], groups)], (0, 1))


def two_memories():
    """Two nodes of the same CPUs: ordinary and on-package memory."""
    cores = [l2(1 << 20, *[core(2 * t + c, *[2 * t + c + 8 * s for s in range(4)]) for c in range(2)]) for t in range(4)]
    Machine().write("two_memories_of_the_same_cpus.xml", [package(0, (0, 1), [(0, 96 * GIB), (1, 16 * GIB)], cores)], (0, 1))


def desktop():
    return [package(0, 0, [(0, 16 * GIB)], [l3(8 << 20, [l2(256 << 10, core(c, c, c + 4)) for c in range(4)])])]


def big():
    """256 cores; nothing but packages, nodes and cores, to stay small."""
    packages = []
    for p in range(2):
        groups = []
        for n in range(4):
            cores = [core(32 * n + c, 128 * p + 32 * n + c) for c in range(32)]
            groups.append(("Group", {"node": 4 * p + n, "memory": [(4 * p + n, 32 * GIB)]}, cores))
        packages.append(package(p, range(4 * p, 4 * p + 4), [], groups))
    Machine().write("big_256_cores.xml", packages, range(8))


two_packages()
hybrid()
arm()
several_l3()
sub_numa()
two_memories()
Machine(offline={3}).write("offline_cpu_in_the_middle.xml", desktop(), (0,))
Machine(denied={1, 2}).write("one_allowed_hyperthread_of_a_core.xml", desktop(), (0,))
Machine(denied={0, 4}).write("cpu_0_is_not_ours.xml", desktop(), (0,))
big()
