// Prefix frames of game engines: containers, allocators and script machines, whose caller tells more than they do.
import type { Pattern } from './pattern-list.ts';

export const enginePrefixes: readonly Pattern[] = [
  {
    match:
      /FMemory::.*|FGenericPlatformString::.*|FPlatformString::.*|FGenericPlatformMemory::.*|F\w+PlatformMemory::.*/,
    why: 'memory and strings of Unreal',
  },
  {
    match:
      /T(?:Array|SparseArray|Set|Map|SortableMapBase|MapBase|BitArray|IndirectArray|Queue|ArrayView|StaticArray|SizedHeapAllocator|SizedDefaultAllocator|InlineAllocator|ScriptArray)(?:<T>)?::.*|FScriptArray::.*/,
    why: 'a container of Unreal',
  },
  {
    match:
      /T(?:SharedPtr|SharedRef|WeakPtr|UniquePtr|RefCountPtr|WeakObjectPtr|ObjectPtr|SoftObjectPtr|SubclassOf|Optional|Function)(?:<T>)?::.*|SharedPointerInternals::.*|FWeakObjectPtr::.*|FObjectPtr::.*|ObjectPtr_Private::.*/,
    why: 'a pointer of Unreal',
  },
  { match: /FString::.*|FName::.*|FText::.*|FNameEntry\w*::.*/, why: 'a string of Unreal' },
  {
    match:
      /U(?:Object|Function)::(?:ProcessEvent|ProcessInternal|CallFunction\w*|Invoke|ProcessContextOpcode|exec\w+)|Process(?:Local|Script|LocalScript)Function(?:<T>)?|FFrame::.*|UObject::ProcessLocal\w*/,
    why: 'the script machine of Unreal',
  },
  {
    match:
      /(?:D3D1[12]RHI::)?Verify(?:D3D1[12]|Vulkan|D3D12)\w*|(?:D3D1[12]RHI::)?TerminateOn\w+|VulkanRHI::Verify\w+|FD3D1[12]DynamicRHI::TerminateOn\w+/,
    why: 'a graphics call of Unreal failed',
  },
  {
    match:
      /IsValid|IsValidChecked|Cast(?:Checked)?<T>|UObjectBaseUtility::IsA(?:<T>)?|FUObjectArray::.*|UObjectBase::.*/,
    why: 'an object of Unreal is looked at',
  },
  {
    match:
      /(?:malloc|free|realloc|calloc)_(?:internal|alloc_internal)|MemoryManager::.*|PPtr<T>::.*|ImmediatePtr<T>::.*|core::(?:basic_string|StringStorageDefault|vector)\w*(?:<T>)?::.*|dynamic_array<T>::.*/,
    why: 'memory and pointers of Unity',
  },
  {
    match:
      /Object_\w*(?:Destroy|Instantiate|CompareBaseObjects)\w*|Object_op_\w+|NullCheck(?:<T>)?|Array_\w+|List_1_\w+|Dictionary_2_\w+/,
    why: 'the base library of C#',
  },
  {
    match:
      /mono_(?:object|array|gc|string|class|metadata|domain|thread|jit|method)_\w+|GC_\w+|sgen_\w+|il2cpp_(?:gc|object|array|string|class)_\w+|il2cpp::vm::.*/,
    why: 'inside of Mono or il2cpp',
  },
  {
    match: /Memory::(?:alloc|free|realloc)_static|memalloc|memfree|memdelete(?:_arr)?(?:<T>)?|DefaultAllocator::.*/,
    why: 'the allocator of Godot',
  },
  {
    match:
      /(?:Ref|CowData|Vector|List|HashMap|RBMap|HashSet|LocalVector|SafeNumeric|SafeRefCount|RID_\w+|PagedAllocator|Span)<T>::.*|(?:String|StringName|Variant|NodePath|Array|Dictionary|RefCounted|ObjectDB)::.*/,
    why: 'a container or pointer of Godot',
  },
  {
    match:
      /GDScript(?:Function|Instance|LambdaCallable)::call(?:p)?|gdnative_\w+|godot::(?:Ref|Vector|internal)(?:<T>)?::.*/,
    why: 'the script machine of Godot',
  },
  {
    match:
      /CUtl(?:Vector|Memory|RBTree|LinkedList|Map|String|Symbol\w*|Buffer|Dict|Hash\w*)\w*(?:<T>)?::.*|C(?:Handle|BaseHandle|NetworkVarBase|NetworkHandleBase)(?:<T>)?::.*|CMemoryPool\w*::.*|CStdMemAlloc::.*|C(?:BlockedBase)?MemAlloc::.*/,
    why: 'a container or allocator of Source',
  },
  { match: /SDL_(?:malloc|calloc|realloc|free|memcpy|memset|strlen|strlcpy)(?:_REAL)?/, why: 'memory of SDL' },
  { match: /lua[A-Z]?_\w+|luaH_\w+|luaG_\w+|lj_\w+|sq_\w+|SQVM::.*/, why: 'inside of Lua or Squirrel' },
  {
    match:
      /eastl::.*|boost::(?:intrusive_ptr|shared_ptr|scoped_ptr|function\w*|detail|container|optional)(?:<T>)?(?:::.*)?|absl::.*|folly::.*|fmt::v\d+::.*|spdlog::.*/,
    why: 'a common library of C++',
  },
];
