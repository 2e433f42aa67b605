// Irrelevant frames: the C++ libraries of gcc and clang, how they throw, end and call.
import type { Pattern } from './pattern-list.ts';

export const libstdcxxIrrelevant: readonly Pattern[] = [
  { match: /std::(?:__)?terminate/, why: 'std::terminate' },
  { match: /(?:__gnu_cxx::)?__verbose_terminate_handler|__cxxabiv1::.*/, why: 'the terminate handler of C++' },
  { match: /__cxa_\w+|__gxx_personality_\w+|__clang_call_terminate/, why: 'exceptions of C++' },
  {
    match: /demangling_(?:terminate|unexpected)_handler|abort_message|__abort_message/,
    why: 'the terminate handler of libc++',
  },
  {
    match: /_Unwind_\w+|unwind_phase2(?:_forced)?|uw_\w+|_UNWIND_\w+|libunwind::.*|unw_\w+/,
    why: 'the unwinder of exceptions',
  },
  {
    match: /std::(?:rethrow_exception|rethrow_if_nested|unexpected|_V2::.*|__throw_with_nested)/,
    why: 'an exception of C++ goes on',
  },
  { match: /std::(?:__1::)?__throw_\w+(?:<T>)?|std::_X\w+/, why: 'the C++ library throws' },
  {
    match: /std::__(?:glibcxx_assert_fail|replacement_assert|1::__libcpp_verbose_abort|libcpp_verbose_abort)/,
    why: 'a failed check of the C++ library',
  },
  {
    match: /std::(?:__1::)?__(?:invoke(?:_impl|_r)?|apply_impl)(?:<T>)?|std::(?:invoke|apply)<T>/,
    why: 'std::invoke calls',
  },
  {
    match: /std::_Function_handler<T>::_M_invoke|std::(?:__1::)?function<T>::operator\(\)/,
    why: 'std::function calls',
  },
  {
    match: /std::__1::__function::.*|std::__1::__invoke_void_return_wrapper<T>::.*/,
    why: 'std::function of libc++ calls',
  },
  {
    match:
      /std::(?:__1::)?(?:__uniq_ptr|unique_ptr|shared_ptr|weak_ptr|__shared_ptr|__weak_ptr|__shared_ptr_access|__shared_count|_Sp_counted\w*)(?:<T>)?(?:::.*)?/,
    why: 'a smart pointer of the C++ library',
  },
  { match: /std::(?:__1::)?(?:atomic|__atomic_base|_Atomic\w*)(?:<T>)?(?:::.*)?/, why: 'an atomic of the C++ library' },
  {
    match:
      /std::(?:__1::)?(?:thread|jthread|this_thread|mutex|lock_guard|unique_lock|condition_variable)(?:<T>)?(?:::.*)?/,
    why: 'threads of the C++ library',
  },
  {
    match: /std::(?:__1::)?__(?:tree|hash_table|thread_proxy|thread_execute|vector_base)(?:<T>)?(?:::.*)?/,
    why: 'inside of the containers of libc++',
  },
  {
    match: /std::(?:_Rb_tree|_Hashtable|_Vector_base|_Deque_base)(?:<T>)?(?:::.*)?|std::__detail::.*/,
    why: 'inside of the containers of libstdc++',
  },
  {
    match:
      /std::__copy_move\w*(?:<T>)?(?:::.*)?|std::__(?:copy|fill|uninitialized|relocate|destroy|do_uninit)\w*(?:<T>)?(?:::.*)?/,
    why: 'inside of the algorithms of libstdc++',
  },
  { match: /<name omitted>|\(anonymous namespace\)|operator\(\)/, why: 'a function without a name' },
];
