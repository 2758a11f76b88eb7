// A program that defines names which sinter uses internally: `using namespace sinter` does not
// conflict with them, and a call with a tensor finds the function of the program.

#include <sinter/sinter.hpp>

using namespace sinter;

// clang-format off
#define TYPES(X) \
  X(Assumption) X(Attribute) X(AxisList) X(BasicProcessMutex) X(BatchAxes) X(BodyId) X(Bounds)     \
  X(Builder) X(CacheContents) X(CallEvent) X(CalledFunction) X(Callee) X(CanonicalHash)            \
  X(Compared) X(ComparedWithSize) X(Composite) X(Constant) X(ControlKernel) X(CreatedState)        \
  X(CublasLt) X(CublasLtChoice) X(CudaConditionalNode) X(CudaContext) X(CudaContextState)          \
  X(CudaCopyNode) X(CudaDriver) X(CudaKernelNode) X(GpuOutOfMemory) X(CudaPool) X(CudaRegistry)   \
  X(CudaSetNode) X(CudaStagingBuffer) X(CudaStagingLease) X(CudaStagingPool) X(CudaStream)         \
  X(CudaSubmission) X(CudaUse) X(DTypeInfo) X(DerivedCallee) X(Detached) X(Dims) X(DotAxes)        \
  X(Effect) X(Element) X(Elementwise) X(Env) X(EnvVariable) X(EquationText) X(Evaluator)           \
  X(Expression) X(ExpressionCache) X(ExpressionGraph) X(ExpressionKey) X(ExpressionOperand)        \
  X(ExpressionReader) X(ExtentDivision) X(ExtentKind) X(ExtentNode) X(ExtentQuestion)              \
  X(ExtentSum) X(ExtentTerm) X(Extractor) X(Fault) X(FloatFormat) X(ForkEntry) X(ForkList)         \
  X(Freedom) X(FunctionRef) X(Gives) X(Graph) X(Hash) X(HashOfExtent) X(HashOfHash) X(Hasher)      \
  X(HostFunction) X(Index) X(InterpolationMode) X(Interval) X(Kernel) X(KernelEvent)               \
  X(KernelProfile) X(Language) X(Lazy) X(LazyRef) X(LazyValue) X(LeafName) X(LeafVisitor)          \
  X(Located) X(LocatedExtent) X(LocatedShape) X(Log) X(LoopTable) X(Mark) X(Marks) X(Node)         \
  X(NodeId) X(Number) X(NumberFormat) X(Numbering) X(NvJitLink) X(Nvrtc) X(Op) X(OpInfo)           \
  X(OpKind) X(OperandList) X(OperandRef) X(OperandType) X(Operands) X(OutputSize) X(Outside)       \
  X(OutsidePublicCalls) X(PackedWeight) X(PackedWeightStats) X(Padding) X(PartName) X(PerAxis)     \
  X(PhiloxCounter) X(PhiloxKey) X(Place) X(PlainFormat) X(Plan) X(Power) X(Primitive)              \
  X(ProcessMutex) X(Profile) X(Profiler) X(Program) X(PublicCall) X(Recorder) X(RecorderHost)      \
  X(RecorderScope) X(RecordingId) X(RecursiveProcessMutex) X(ReferenceCount) X(Relation)           \
  X(Report) X(Rule) X(RuleFunction) X(RunningStatistic) X(SameExtent) X(ScaleFactor)               \
  X(ScanLayout) X(ScopedAllocationFailure) X(ScoreFunction) X(Select) X(SharedLibrary) X(Size)     \
  X(SizeOracle) X(SizeSymbol) X(SliceEnd) X(SmallVector) X(Source) X(SplitSizes) X(State)          \
  X(Storage) X(Subgraph) X(SymbolInfo) X(Takes) X(Tape) X(TensorFunction) X(TensorType) X(TypeOf)  \
  X(TypedOperand) X(TypedOperands) X(TypedOperators) X(Value) X(VariableName) X(Variant)           \
  X(Within)

#define FUNCTIONS(X) \
  X(active_differentiations) X(add_line) X(add_lines) X(agree) X(arange_between) X(as_called)      \
  X(attribute) X(autocast_dtype) X(await_work_with) X(axes_of) X(axis_of) X(bits_of_number)        \
  X(borrow_on) X(bounds) X(broadcast) X(broadcast_shapes) X(build) X(c_text) X(call_of)            \
  X(called_function) X(callee_of) X(callee_sizes) X(canonical_hash) X(cast) X(category)            \
  X(checked_add) X(checked_multiply) X(clamp_unbounded) X(class_bytes) X(coefficient_of)           \
  X(compare) X(computed_in) X(concrete) X(constant) X(constant_of) X(constant_quotient)            \
  X(constant_tensor) X(control_mistake) X(control_results) X(convert) X(convert_element)           \
  X(copied_to) X(copy_bytes) X(count_along) X(cublaslt) X(cublaslt_missing) X(cuda_architecture)   \
  X(cuda_check) X(cuda_driver) X(cuda_missing) X(cuda_mutex) X(current_body) X(current_evaluator)  \
  X(current_recorder) X(current_recording) X(current_size_oracle) X(default_name) X(depends_on)    \
  X(depends_on_variable) X(detached) X(device_address) X(device_runtime_library) X(divide)         \
  X(divide_by_extent) X(divide_exactly) X(divide_monomial) X(dtype_table) X(elements_of)           \
  X(elementwise) X(env) X(env_flag) X(env_table) X(equal_sizes) X(evaluate) X(expression_cache)    \
  X(factors_of) X(find_proof_of_ge0) X(first_large_class) X(fix_one) X(fixed_sizes)                \
  X(floor_quotient) X(floor_remainder) X(forks) X(format) X(format_one) X(from_bytes)              \
  X(has_attribute) X(hash) X(hash_node) X(hash_of) X(hash_with_symbols) X(holds) X(host_bytes)     \
  X(host_elements_of) X(huge_page_bytes) X(imported) X(imported_anew) X(index) X(infer) X(info)    \
  X(intern) X(is_computed_one) X(is_control) X(is_detached) X(is_elementwise) X(is_floating)       \
  X(is_integer) X(is_less) X(is_movement) X(is_polynomial) X(is_reduction) X(is_size)              \
  X(is_static) X(is_unbounded) X(is_written_cast) X(join) X(known_divisor) X(large_classes)        \
  X(large_units) X(last_class_for) X(layer_norm_over) X(log_enabled) X(log_names) X(make_atom)     \
  X(make_evaluated) X(make_lazy) X(make_product) X(map_extents) X(max_leaves) X(max_rank)          \
  X(memory_at) X(most_argument_bytes) X(multiply_monomials) X(name_module) X(names) X(number)      \
  X(numbers) X(nvjitlink) X(nvjitlink_missing) X(nvrtc) X(nvrtc_missing) X(op_count) X(op_table)   \
  X(optimize) X(origin) X(packed_weight_stats) X(per_thread) X(philox4x32) X(placed_as) X(plan)    \
  X(primitive_part) X(print_text) X(promote) X(proven) X(proven_divisible) X(proven_equal)         \
  X(proven_ge0) X(proven_ge0_under) X(proven_less) X(proven_less_equal) X(proven_not_equal)        \
  X(quantity) X(random_words) X(recall) X(record) X(record_expression) X(reference_to)             \
  X(refused_index) X(region_of) X(release_values_with_operands) X(remember) X(replace_cublaslt)    \
  X(replace_cuda_driver) X(replace_nvjitlink) X(replace_nvrtc) X(require_count) X(require_memory)  \
  X(require_present) X(require_sizes) X(require_type) X(rewrite) X(rewrite_nodes)                  \
  X(row_major_strides) X(run_after) X(runs_after) X(same) X(saturate) X(saturating_add)            \
  X(saturating_multiply) X(scan_layout) X(scan_length) X(serve) X(shared_callee_of)                \
  X(simplify_under) X(size) X(size_class) X(size_classes) X(size_value) X(solve) X(stacked_type)   \
  X(staging_bytes) X(state_count) X(step_type) X(storage_alignment) X(subgraph) X(substitute)      \
  X(takes) X(target_of) X(terms_of) X(text) X(throw_divisor) X(throw_extent_overflow)              \
  X(toolkit_file) X(toolkit_library) X(type_with) X(unbounded) X(unknown_words)                    \
  X(values_with_operands) X(variables) X(verifies) X(verify) X(visit) X(visit_dtype) X(walk)       \
  X(warn) X(warn_of_unknown_words) X(watch) X(watch_count) X(way_to_run)                           \
  X(with_canonical_symbols) X(without) X(word_of)

#define NAMESPACES(X) \
  X(autodiff) X(batch_of) X(codegen) X(compiler) X(debug) X(gradient_of) X(guard) X(interpreter)   \
  X(jit) X(module_text) X(pass) X(runtime) X(schedule) X(typed) X(whole)
// clang-format on

#define DECLARE_TYPE(name) \
  struct name {            \
    int value = 0;         \
  };
TYPES(DECLARE_TYPE)

#define DECLARE_FUNCTION(name) \
  int name(const Tensor& x) { return x.ndim(); }
FUNCTIONS(DECLARE_FUNCTION)

#define DECLARE_NAMESPACE(name) \
  namespace name {              \
  int own() { return 1; }       \
  }
NAMESPACES(DECLARE_NAMESPACE)

#define USE_TYPE(name) +name{}.value
#define USE_FUNCTION(name) +name(x) + name(typed) + name(typed + typed)
#define USE_NAMESPACE(name) +name::own()
int use(const Tensor& x, const TensorOf<float, "batch", 4>& typed) {
  return TYPES(USE_TYPE) FUNCTIONS(USE_FUNCTION) NAMESPACES(USE_NAMESPACE);
}

int main() {
  const auto compiled = compile([](const Tensor& x) { return softmax(relu(x[0]) * 2, -1); });
  const TensorOf<float, "batch", 4> typed(randn({3, 4}));
  return use(compiled(randn({2, 3, 4})), typed) == 0;
}
