// Prefix frames of game engines: containers, allocators and script VMs, whose callers say more than they do.
import type { Pattern } from './pattern-list.ts';

export const enginePrefixes: readonly Pattern[] = [
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
