// Irrelevant frames of the GCC and Clang C++ libraries: how they throw, terminate and call user code.
import type { Pattern } from './pattern-list.ts';

export const libstdcxxIrrelevant: readonly Pattern[] = [
  { match: /std::(?:__)?terminate/, why: 'std::terminate' },
  { match: /(?:__gnu_cxx::)?__verbose_terminate_handler|__cxxabiv1::.*/, why: 'C++ terminate handler' },
  { match: /__cxa_\w+|__gxx_personality_\w+|__clang_call_terminate/, why: 'C++ exception handling' },
  {
    match: /demangling_(?:terminate|unexpected)_handler|abort_message|__abort_message/,
    why: 'libc++ terminate handler',
  },
  {
    match: /_Unwind_\w+|unwind_phase2(?:_forced)?|uw_\w+|_UNWIND_\w+|libunwind::.*|unw_\w+/,
    why: 'exception unwinder',
  },
  {
    match: /std::(?:rethrow_exception|rethrow_if_nested|unexpected|__throw_with_nested)/,
    why: 'rethrown C++ exception',
  },
  { match: /std::__throw_\w+(?:<T>)?|std::_X\w+/, why: 'C++ library exception' },
  {
    match:
      /std::__(?:glibcxx_assert_fail|replacement_assert|libcpp_(?:verbose_abort|debug_function|assertion_handler\w*)|libcxx\w*abort\w*)|__libcpp_verbose_abort/,
    why: 'failed C++ library check',
  },
  {
    match: /std::__(?:invoke(?:_impl|_r)?|apply_impl)(?:<T>)?|std::(?:invoke|apply)<T>/,
    why: 'std::invoke call',
  },
  {
    match: /std::_Function_handler<T>::_M_invoke|std::function<T>::operator\(\)/,
    why: 'std::function call',
  },
  {
    match: /std::__function::.*|std::__invoke_void_return_wrapper<T>::.*/,
    why: 'libc++ std::function call',
  },
  {
    match:
      /std::(?:__uniq_ptr|unique_ptr|shared_ptr|weak_ptr|__shared_ptr|__weak_ptr|__shared_ptr_access|__shared_count|_Sp_counted\w*)(?:<T>)?(?:::.*)?/,
    why: 'C++ smart pointer',
  },
  { match: /std::(?:atomic|__atomic_base|_Atomic\w*)(?:<T>)?(?:::.*)?/, why: 'C++ atomic' },
  {
    match: /std::(?:thread|jthread|this_thread|mutex|lock_guard|unique_lock|condition_variable)(?:<T>)?(?:::.*)?/,
    why: 'C++ threads',
  },
  {
    match: /std::__(?:tree|hash_table|thread_proxy|thread_execute|vector_base)(?:<T>)?(?:::.*)?/,
    why: 'libc++ container internals',
  },
  {
    match: /std::(?:_Rb_tree|_Hashtable|_Vector_base|_Deque_base)(?:<T>)?(?:::.*)?|std::__detail::.*/,
    why: 'libstdc++ container internals',
  },
  {
    match:
      /std::__copy_move\w*(?:<T>)?(?:::.*)?|std::__(?:copy|fill|uninitialized|relocate|destroy|do_uninit)\w*(?:<T>)?(?:::.*)?/,
    why: 'libstdc++ algorithm internals',
  },
  { match: /<name omitted>|\(anonymous namespace\)|operator\(\)/, why: 'unnamed function' },
];
