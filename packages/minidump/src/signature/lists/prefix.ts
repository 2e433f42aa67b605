// All prefix frames: they belong to the signature but do not end it, so the next frame is added too.
import type { Pattern } from './pattern-list.ts';
import { modulePrefixes } from './system-modules.ts';

// Prefix frames of common runtimes: worth naming, but called from everywhere, so their callers are named too.

const runtimePrefixes: readonly Pattern[] = [
  { match: /@0x0/, why: 'null pointer call' },
  {
    match: /(?:m|c|re)alloc|free|cfree|memalign|posix_memalign|aligned_alloc|_?aligned_(?:malloc|free|realloc)|_msize/,
    why: 'C allocator',
  },
  { match: /operator (?:new|delete)(?:\[\])?/, why: 'C++ allocator' },
  {
    match:
      /(?:Rtl)?(?:Heap(?:Alloc|Free|ReAlloc|Size)|(?:Allocate|Free|ReAllocate|Size)Heap)|(?:Local|Global)(?:Alloc|Free)|CoTaskMem(?:Alloc|Free)|SysFreeString|Variant(?:Clear|Copy)/,
    why: 'Windows allocator',
  },
  {
    match: /w?mem(?:cpy|move|set|cmp|chr|rchr|mem|pcpy)|bcopy|bzero|bcmp/,
    why: 'memory copy, fill or comparison',
  },
  {
    match:
      /(?:str|wcs)n?(?:len|cpy|cat|cmp|casecmp|icmp|chr|rchr|str|dup|tok|spn|cspn|pbrk)(?:_s|_l)?|_?stricmp|_?strnicmp|_?strdup|lstr(?:cpy|cmpi?|len|cat)[AW]?|str(?:to\w+|lcpy|lcat)/,
    why: 'C string function',
  },
  {
    match:
      /_?(?:v?s?n?w?printf|v?f?w?printf|v?snw?printf|vswprintf|v?sscanf|v?asprintf)(?:_s|_l|_internal)?|__(?:vfprintf|vfwprintf|printf|vsnprintf|stdio_common)\w*|printf_positional/,
    why: 'text formatting',
  },
  {
    match: /atexit|qsort(?:_r|_s)?|bsearch|setjmp|_?longjmp|getenv|setenv|localtime(?:_r)?|setlocale/,
    why: 'C library',
  },
  {
    match:
      /f(?:open|close|read|write|seek|tell|flush|gets|puts)|read|write|close|recv(?:from|msg)?|send(?:to|msg)?|connect|poll|select|ioctl|mmap|munmap|mprotect/,
    why: 'C input and output',
  },
  {
    match:
      /ReadFile|WriteFile|CloseHandle|(?:Nt|Zw)Close|CreateFile\w*|SetEvent|WSA(?:Send|Recv)\w*|TlsGetValue|GetProcAddress|LoadLibrary\w*|FreeLibrary/,
    why: 'Windows function',
  },
  { match: /Rtl\w+|Ldr\w+|NtUser\w+|NtGdi\w+|Etw\w+|Tp(?:p)?\w+/, why: 'ntdll or win32 internals' },
  {
    match:
      /objc_(?:msgSend\w*|release\w*|retain\w*|storeStrong|loadWeak\w*|destroyWeak|autorelease\w*)|CF(?:Release|Retain)|___forwarding___|_?__forwarding_prep_0___|-\[NSObject(?:\(\w+\))? doesNotRecognizeSelector:\]|_?objc_rootDealloc/,
    why: 'Objective-C runtime',
  },
  // What the compiler inlines where a check fails. Its text says which, and the next frame where.
  { match: /Swift runtime failure: .*/, why: 'Swift runtime failure' },
  {
    match:
      /[-+]\[(?:__NS|_NS|NS|__CF)(?:Array|Dictionary|Set|String|PlaceholderArray|PlaceholderDictionary|CF\w*|SingleObject\w*|Frozen\w*)\w* .*\]/,
    why: 'Foundation container',
  },
  { match: /dl(?:open|close|sym)|_dl_\w+|__tls_get_addr/, why: 'dynamic loader' },
  { match: /_purecall|purecall|__pure_virtual/, why: 'pure virtual function call' },
  {
    match:
      /std::(?:vector|basic_string|string|deque|list|map|set|multimap|unordered_map|unordered_set|array|optional|variant|span|basic_string_view|function|pair|tuple|allocator|allocator_traits|queue|stack)(?:<T>)?::.*/,
    why: 'C++ container',
  },
  {
    match:
      /std::(?:sort|__sort|__introsort_loop|__unguarded_\w+|__insertion_sort|find_if|for_each|copy|move|swap|get|forward|transform|remove_if|lower_bound)(?:<T>)?/,
    why: 'C++ algorithm',
  },
  {
    match:
      /alloc::(?:vec|string|collections|sync|rc|raw_vec)::.*|<alloc::(?:vec|string|sync|rc|collections)::.* as .*>::.*|hashbrown::.*|std::collections::.*/,
    why: 'Rust collection',
  },
  { match: /core::(?:slice|str|iter|num|result|option)::.*/, why: 'Rust core library' },
  {
    match: /runtime\.(?:map\w+|mallocgc|newobject|growslice|makeslice|memmove|chan\w+|convT\w*|assert\w+)/,
    why: 'Go runtime',
  },
];

// Prefix frames of game engines: containers, allocators and script VMs, whose callers say more than they do.

const enginePrefixes: readonly Pattern[] = [
  {
    match:
      /FMemory::.*|FGenericPlatformString::.*|FPlatformString::.*|FGenericPlatformMemory::.*|F\w+PlatformMemory::.*/,
    why: 'Unreal memory and strings',
  },
  {
    match:
      /T(?:Array|SparseArray|Set|Map|SortableMapBase|MapBase|BitArray|IndirectArray|Queue|ArrayView|StaticArray|SizedHeapAllocator|SizedDefaultAllocator|InlineAllocator|ScriptArray)(?:<T>)?::.*|FScriptArray::.*/,
    why: 'Unreal container',
  },
  {
    match:
      /T(?:SharedPtr|SharedRef|WeakPtr|UniquePtr|RefCountPtr|WeakObjectPtr|ObjectPtr|SoftObjectPtr|SubclassOf|Optional|Function)(?:<T>)?::.*|SharedPointerInternals::.*|FWeakObjectPtr::.*|FObjectPtr::.*|ObjectPtr_Private::.*/,
    why: 'Unreal pointer',
  },
  { match: /FString::.*|FName::.*|FText::.*|FNameEntry\w*::.*/, why: 'Unreal string' },
  {
    match:
      /U(?:Object|Function)::(?:ProcessEvent|ProcessInternal|CallFunction\w*|Invoke|ProcessContextOpcode|exec\w+)|Process(?:Local|Script|LocalScript)Function(?:<T>)?|FFrame::.*|UObject::ProcessLocal\w*/,
    why: 'Unreal script VM',
  },
  {
    match:
      /(?:\w+::)*(?:Verify(?:D3D1[12]|DXGI|Vulkan|Metal|OpenGL)\w*|TerminateOn(?:GPUCrash|DeviceRemoved|OutOfMemory)\w*|HandleFailedD3D12\w*|RHIVerifyResult)|VulkanRHI::Verify\w+/,
    why: 'failed Unreal graphics call',
  },
  {
    match:
      /IsValid|IsValidChecked|Cast(?:Checked)?<T>|UObjectBaseUtility::IsA(?:<T>)?|FUObjectArray::.*|UObjectBase::.*/,
    why: 'Unreal object access',
  },
  {
    match:
      /(?:malloc|free|realloc|calloc)_(?:internal|alloc_internal)|MemoryManager::.*|PPtr<T>::.*|ImmediatePtr<T>::.*|core::(?:basic_string|StringStorageDefault|vector)\w*(?:<T>)?::.*|dynamic_array<T>::.*/,
    why: 'Unity memory and pointers',
  },
  {
    match:
      /Object_\w*(?:Destroy|Instantiate|CompareBaseObjects)\w*|Object_op_\w+|NullCheck(?:<T>)?|Array_\w+|List_1_\w+|Dictionary_2_\w+/,
    why: 'C# base library',
  },
  {
    match:
      /mono_(?:object|array|gc|string|class|metadata|domain|thread|jit|method)_\w+|GC_\w+|sgen_\w+|il2cpp_(?:gc|object|array|string|class)_\w+|il2cpp::vm::.*/,
    why: 'Mono or il2cpp internals',
  },
  {
    match: /Memory::(?:alloc|free|realloc)_static|memalloc|memfree|memdelete(?:_arr)?(?:<T>)?|DefaultAllocator::.*/,
    why: 'Godot allocator',
  },
  {
    match:
      /(?:Ref|CowData|Vector|List|HashMap|RBMap|HashSet|LocalVector|SafeNumeric|SafeRefCount|RID_\w+|PagedAllocator|Span)<T>::.*|(?:String|StringName|Variant|NodePath|Array|Dictionary|RefCounted|ObjectDB)::.*/,
    why: 'Godot container or pointer',
  },
  {
    match:
      /GDScript(?:Function|Instance|LambdaCallable)::call(?:p)?|gdnative_\w+|godot::(?:Ref|Vector|internal)(?:<T>)?::.*/,
    why: 'Godot script VM',
  },
  {
    match:
      /CUtl(?:Vector|Memory|RBTree|LinkedList|Map|String|Symbol\w*|Buffer|Dict|Hash\w*)\w*(?:<T>)?::.*|C(?:Handle|BaseHandle|NetworkVarBase|NetworkHandleBase)(?:<T>)?::.*|CMemoryPool\w*::.*|CStdMemAlloc::.*|C(?:BlockedBase)?MemAlloc::.*/,
    why: 'Source container or allocator',
  },
  { match: /SDL_(?:malloc|calloc|realloc|free|memcpy|memset|strlen|strlcpy)(?:_REAL)?/, why: 'SDL memory' },
  { match: /lua[A-Z]?_\w+|luaH_\w+|luaG_\w+|lj_\w+|sq_\w+|SQVM::.*/, why: 'Lua or Squirrel internals' },
  {
    match:
      /eastl::.*|boost::(?:intrusive_ptr|shared_ptr|scoped_ptr|function\w*|detail|container|optional)(?:<T>)?(?:::.*)?|absl::.*|folly::.*|fmt::.*|spdlog::.*/,
    why: 'common C++ library',
  },
];

export const prefixPatterns: readonly Pattern[] = [...runtimePrefixes, ...modulePrefixes, ...enginePrefixes];
