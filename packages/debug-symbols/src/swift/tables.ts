// The letters of mangled names of Swift, and what they stand for.
// cspell:disable

export const STANDARD: Readonly<Record<string, string>> = {
  ...{ A: 'AutoreleasingUnsafeMutablePointer', a: 'Array', b: 'Bool', D: 'Dictionary', d: 'Double', f: 'Float' },
  ...{ h: 'Set', I: 'DefaultIndices', i: 'Int', J: 'Character', N: 'ClosedRange', n: 'Range', O: 'ObjectIdentifier' },
  ...{ P: 'UnsafePointer', p: 'UnsafeMutablePointer', R: 'UnsafeBufferPointer', r: 'UnsafeMutableBufferPointer' },
  ...{ S: 'String', s: 'Substring', u: 'UInt', V: 'UnsafeRawPointer', v: 'UnsafeMutableRawPointer', q: 'Optional' },
  ...{ W: 'UnsafeRawBufferPointer', w: 'UnsafeMutableRawBufferPointer' },
};
export const STANDARD_PROTOCOLS: Readonly<Record<string, string>> = {
  ...{ B: 'BinaryFloatingPoint', E: 'Encodable', e: 'Decodable', F: 'FloatingPoint', G: 'RandomNumberGenerator' },
  ...{ H: 'Hashable', j: 'Numeric', K: 'BidirectionalCollection', k: 'RandomAccessCollection', L: 'Comparable' },
  ...{ l: 'Collection', M: 'MutableCollection', m: 'RangeReplaceableCollection', Q: 'Equatable', T: 'Sequence' },
  ...{ t: 'IteratorProtocol', U: 'UnsignedInteger', X: 'RangeExpression', x: 'Strideable', Y: 'RawRepresentable' },
  ...{ y: 'StringProtocol', Z: 'SignedInteger', z: 'BinaryInteger' },
};
export const CONCURRENCY: Readonly<Record<string, string>> = {
  ...{ C: 'CheckedContinuation', c: 'UnsafeContinuation', E: 'CancellationError', e: 'UnownedSerialExecutor' },
  ...{ G: 'TaskGroup', g: 'ThrowingTaskGroup', J: 'UnownedJob', M: 'MainActor', P: 'TaskPriority' },
  ...{ S: 'AsyncStream', s: 'AsyncThrowingStream', T: 'Task', t: 'UnsafeCurrentTask' },
};
export const CONCURRENCY_PROTOCOLS: Readonly<Record<string, string>> = {
  ...{ A: 'Actor', F: 'Executor', f: 'SerialExecutor', I: 'AsyncIteratorProtocol', i: 'AsyncSequence' },
};

/** The characters of operators, which are written as letters. */
export const OPERATORS: Readonly<Record<string, string>> = {
  ...{ a: '&', c: '@', d: '/', e: '=', g: '>', l: '<', m: '*', n: '!', o: '|', p: '+', q: '?', r: '%', s: '-' },
  ...{ t: '~', x: '^', z: '.' },
};

export const ACCESSORS: Readonly<Record<string, string>> = {
  ...{ g: 'getter', s: 'setter', G: 'getter', m: 'materializeForSet', M: 'modify', r: 'read', w: 'willset' },
  ...{ W: 'didset', i: 'init', x: 'yielding_mutate', y: 'yielding_borrow', b: 'borrow', z: 'mutate' },
};
export const ADDRESSORS: Readonly<Record<string, string>> = {
  ...{ u: 'unsafe', O: 'owning', o: 'nativeOwning', p: 'nativePinning' },
};

/** What the compiler made of a function. */
export const ATTRIBUTES: Readonly<Record<string, string>> = {
  ...{ o: '@objc ', O: '@nonobjc ', D: 'dynamic ', d: 'super ', m: '', E: '', I: '', X: '', j: 'dispatch thunk of ' },
  ...{ a: 'partial apply for ', A: 'partial apply for ', q: 'method descriptor for ', u: 'async function pointer to ' },
};
export const THUNKS: Readonly<Record<string, string>> = {
  ...{ c: 'curry thunk of ', S: 'protocol self-conformance witness for ' },
};

export const OUTLINED: Readonly<Record<string, string>> = {
  ...{ b: 'init with take', c: 'init with copy', d: 'assign with take', f: 'assign with copy', h: 'destroy' },
  ...{ B: 'init with take', C: 'init with copy', D: 'assign with take', F: 'assign with copy', H: 'destroy' },
  ...{ y: 'copy', e: 'consume', r: 'retain', s: 'release' },
};
export const VALUE_WITNESSES: Readonly<Record<string, string>> = {
  ...{ ca: 'assignWithCopy', ta: 'assignWithTake', xx: 'destroy', cp: 'initializeWithCopy', tk: 'initializeWithTake' },
  ...{ CP: 'initializeBufferWithCopyOfBuffer', ug: 'getEnumTag', up: 'destructiveProjectEnumData' },
  ...{ ui: 'destructiveInjectEnumTag', et: 'getEnumTagSinglePayload', st: 'storeEnumTagSinglePayload' },
  ...{ al: 'allocateBuffer', de: 'deallocateBuffer', XX: 'destroyBuffer', Xx: 'destroyArray', pr: 'projectBuffer' },
  ...{ Cp: 'initializeBufferWithCopy', Tk: 'initializeBufferWithTake', TK: 'initializeBufferWithTakeOfBuffer' },
  ...{ Cc: 'initializeArrayWithCopy', Tt: 'initializeArrayWithTakeFrontToBack' },
  ...{ tT: 'initializeArrayWithTakeBackToFront', xs: 'storeExtraInhabitant', xg: 'getExtraInhabitantIndex' },
};
export const METADATA: Readonly<Record<string, string>> = {
  ...{
    a: 'type metadata accessor for ',
    r: 'type metadata completion function for ',
    n: 'nominal type descriptor for ',
  },
  ...{ i: 'type metadata instantiation function for ', D: 'demangling cache variable for type metadata for ' },
  ...{ f: 'full type metadata for ', L: 'lazy cache variable for type metadata for ', m: 'metaclass for ' },
  ...{ P: 'generic type metadata pattern for ', p: 'protocol descriptor for ', u: 'method lookup function for ' },
  ...{ U: 'ObjC metadata update function for ', s: 'ObjC resilient class stub for ' },
  ...{ B: 'reflection metadata builtin descriptor ', F: 'reflection metadata field descriptor ' },
};
export const CONFORMANCE_PARTS: Readonly<Record<string, string>> = {
  P: 'protocol witness table for ',
  a: 'protocol witness table accessor for ',
  I: 'instantiation function for generic protocol witness table for ',
};
