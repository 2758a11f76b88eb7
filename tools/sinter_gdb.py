"""Pretty printers of gdb for Tensor, Scalar, TensorOf, Extent, Shape, Graph and Node of sinter.

    (gdb) source /path/to/sinter/tools/sinter_gdb.py

in gdb, or in ~/.gdbinit; docs/seeing.md says how to load it by itself. The printers read memory
only: no function of the program is called, so they work on core files too.
"""

import struct

import gdb
import gdb.printing

MOST_ELEMENTS = 8  # of a tensor on one line; `print x` in gdb shows up to `set print elements`
NUMBER_TAG = 1 << 62


def word(value):
    return int(value) & 0xFFFFFFFFFFFFFFFF


def members(vector, element):
    """The elements of a sinter::detail::Vector, whose memory is untyped."""
    memory = vector["memory_"].cast(element.pointer())
    return [memory[i] for i in range(int(vector["size_"]))]


def vector_elements(vector):
    return members(vector, vector.type.strip_typedefs().template_argument(0))


def small_vector_elements(vector):
    element = vector.type.strip_typedefs().template_argument(0)
    heap = vector["heap_"]
    data = heap if int(heap) != 0 else vector["local_"].address.cast(element.pointer())
    return [data[i] for i in range(int(vector["size_"]))]


def std_vector_elements(vector):
    start, finish = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [start[i] for i in range(int(finish - start))]


def enumerator(value):
    """`add` for sinter::detail::Op::add."""
    return str(value.cast(value.type.strip_typedefs())).split("::")[-1]


def dtype_name(value):
    name = enumerator(value)
    return "bool" if name == "boolean" else name


def namespace_of(value_type):
    """sinter::v0_compiled:: of a type of sinter."""
    name = str(value_type.strip_typedefs().unqualified())
    if not name.startswith("sinter::v0"):
        return "sinter::"
    return name[: name.index("::", len("sinter::")) + 2]


# -- extents and shapes --------------------------------------------------------------------------


def extent_text(extent):
    bits = word(extent["bits_"])
    if (bits ^ (bits << 1)) >> 63 & 1 == 0:
        return str(bits - (1 << 64) if bits >> 63 else bits)
    node_type = gdb.lookup_type(namespace_of(extent.type) + "detail::ExtentNode")
    node = gdb.Value(bits ^ NUMBER_TAG).cast(node_type.pointer()).dereference()
    return node_text(node)


def inner(extent):
    text = extent_text(extent)
    return "(" + text + ")" if " " in text else text


def node_text(node):
    kind = enumerator(node["kind"])
    if kind in ("symbol", "range"):
        return ("s" if kind == "symbol" else "r") + str(int(node["id"]))
    if kind == "product":
        return "*".join(inner(factor) for factor in std_vector_elements(node["factors"]))
    if kind == "sum":
        return sum_text(node)
    a, b = std_vector_elements(node["operands"])
    if kind in ("min", "max"):
        return "%s(%s, %s)" % (kind, extent_text(a), extent_text(b))
    return "%s %s %s" % (inner(a), "/" if kind == "floor_div" else "%", inner(b))


def sum_text(node):
    result = ""
    for term in vector_elements(node["terms"]):
        coefficient = int(term["coefficient"])
        text = inner(term["monomial"])
        if abs(coefficient) != 1:
            text = "%d*%s" % (abs(coefficient), text)
        sign = "-" if coefficient < 0 else "+"
        result += " %s %s" % (sign, text) if result else ("-" if coefficient < 0 else "") + text
    constant = int(node["constant"])
    if constant:
        result += " %s %d" % ("-" if constant < 0 else "+", abs(constant))
    return result


def shape_extents(shape):
    array = shape["extents_"]["_M_elems"]
    return [array[i] for i in range(int(shape["size_"]))]


def shape_text(shape):
    return "[" + ", ".join(extent_text(extent) for extent in shape_extents(shape)) + "]"


def type_text(tensor_type):
    return dtype_name(tensor_type["dtype"]) + shape_text(tensor_type["shape"])


class ExtentPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return extent_text(self.value)


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return shape_text(self.value)


# -- tensors -------------------------------------------------------------------------------------

FORMATS = {"bool": "?", "u8": "B", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e",
           "bf16": "H", "f32": "f", "f64": "d"}  # fmt: skip


def number_text(number, dtype):
    if dtype == "bool":
        return "true" if number else "false"
    if dtype == "bf16":
        number = struct.unpack("<f", struct.pack("<I", number << 16))[0]
    return "%.6g" % number if dtype.startswith(("f", "b")) else str(number)


def read_elements(storage, dtype, most):
    """The first elements of host memory, and how many there are."""
    block = storage["block_"]
    if int(block) == 0:
        return [], 0
    code = "<" + FORMATS[dtype]
    size = struct.calcsize(code)
    count = int(block["bytes"]) // size
    shown = min(count, most)
    if shown == 0:
        return [], count
    memory = gdb.selected_inferior().read_memory(int(block["data"]), shown * size)
    return [number_text(each[0], dtype) for each in struct.iter_unpack(code, bytes(memory))], count


def lazy_of(tensor):
    lazy = tensor["lazy_"]["lazy_"]
    if int(lazy) == 0:
        return None
    while int(lazy["stands_for"]["lazy_"]) != 0:
        lazy = lazy["stands_for"]["lazy_"]
    return lazy.dereference()


class TensorPrinter:
    def __init__(self, value):
        self.value = value
        self.lazy = lazy_of(value)
        self.result = int(value["result_"])
        self.storage = None
        if self.lazy is None:
            return
        storage_type = gdb.lookup_type(namespace_of(value.type) + "detail::Storage")
        storages = members(self.lazy["elements"], storage_type)
        if self.result < len(storages):
            self.storage = storages[self.result]

    def tensor_type(self):
        return small_vector_elements(self.lazy["node"]["results"])[self.result]

    def device(self):
        device = self.storage["block_"]["device"]
        on_host = enumerator(device["kind_"]) == "cpu"
        return "" if on_host else "cuda:%d" % int(device["index_"])

    def to_string(self):
        if self.lazy is None:
            return "undefined Tensor"
        text = "Tensor " + type_text(self.tensor_type())
        if self.storage is None:
            return "%s, not computed: %s" % (text, enumerator(self.lazy["node"]["op"]))
        if int(self.storage["block_"]) != 0 and self.device():
            return text + " on " + self.device()
        dtype = dtype_name(self.tensor_type()["dtype"])
        elements, count = read_elements(self.storage, dtype, MOST_ELEMENTS)
        return "%s {%s%s}" % (text, ", ".join(elements), ", ..." if count > len(elements) else "")


class HolderPrinter:
    """Of a class that holds a tensor in one member."""

    def __init__(self, value, member):
        self.text = TensorPrinter(value[member]).to_string()

    def to_string(self):
        return self.text


# -- graphs --------------------------------------------------------------------------------------


def value_text(value):
    result = int(value["result"])
    return "%%%d" % int(value["node"]) + (".%d" % result if result else "")


def node_line(node):
    types = " ".join(type_text(each) for each in small_vector_elements(node["results"]))
    inputs = " ".join(value_text(each) for each in small_vector_elements(node["inputs"]))
    return "%s = %s%s" % (types, enumerator(node["op"]), " " + inputs if inputs else "")


class NodePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return node_line(self.value)


class GraphPrinter:
    """One line, and in `print` and in the tree of an editor a child for each node."""

    def __init__(self, value):
        self.value = value
        node_type = gdb.lookup_type(namespace_of(value.type) + "detail::Node")
        self.nodes = members(value["nodes"], node_type)

    def to_string(self):
        outputs = " ".join(value_text(each) for each in vector_elements(self.value["outputs"]))
        inputs = int(self.value["inputs"]["size_"])
        return "graph of %d nodes, %d inputs, return %s" % (len(self.nodes), inputs, outputs)

    def children(self):
        for i, node in enumerate(self.nodes):
            yield "%%%d" % i, node


def build_printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("sinter")
    own = r"^sinter::(v0_\w+::)?"
    held = HolderPrinter
    printers.add_printer("Tensor", own + "Tensor$", TensorPrinter)
    printers.add_printer("Scalar", own + "Scalar$", lambda value: held(value, "value_"))
    printers.add_printer("TensorOf", own + "TensorOf<.*>$", lambda value: held(value, "tensor_"))
    printers.add_printer("Extent", own + "Extent$", ExtentPrinter)
    printers.add_printer("Shape", own + "Shape$", ShapePrinter)
    printers.add_printer("Graph", own + "detail::Graph$", GraphPrinter)
    printers.add_printer("Node", own + "detail::Node$", NodePrinter)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), build_printers(), replace=True)
