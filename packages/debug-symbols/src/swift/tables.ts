// The letters of mangled names of Swift, and what they stand for.
// cspell:disable

export const STANDARD: Readonly<Record<string, string>> = {
  ...{ A: 'AutoreleasingUnsafeMutablePointer', a: 'Array', b: 'Bool', D: 'Dictionary', d: 'Double', f: 'Float' },
  ...{ h: 'Set', I: 'DefaultIndices', i: 'Int', J: 'Character', N: 'ClosedRange', n: 'Range', O: 'ObjectIdentifier' },
  ...{ P: 'UnsafePointer', p: 'UnsafeMutablePointer', R: 'UnsafeBufferPointer', r: 'UnsafeMutableBufferPointer' },
  ...{ S: 'String', s: 'Substring', u: 'UInt', V: 'UnsafeRawPointer', v: 'UnsafeMutableRawPointer', q: 'Optional' },
  ...{ W: 'UnsafeRawBufferPointer', w: 'UnsafeMutableRawBufferPointer' },
};
export const STANDARD_ENUMS = ['Optional'];
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
  ...{ g: 'getter', s: 'setter', G: 'getter', m: 'materializeForSet', M: 'modify', r: 'read', x: 'modify', y: 'read' },
  ...{ w: 'willset', W: 'didset', i: 'init' },
};
export const ADDRESSORS = ['O', 'o', 'p', 'u'];

/** What the compiler made of a function. */
export const ATTRIBUTES: Readonly<Record<string, string>> = {
  ...{ o: '@objc ', O: '@nonobjc ', D: 'dynamic ', d: 'super ', m: 'merged ', E: 'distributed thunk ' },
  ...{
    a: 'partial apply ObjC forwarder for ',
    A: 'partial apply forwarder for ',
    I: 'dynamically replaceable thunk for ',
  },
};
export const THUNKS: Readonly<Record<string, string>> = { c: 'curry thunk of ', j: 'dispatch thunk of ' };
export const RESUMES: Readonly<Record<string, string>> = { Q: 'await resume', Y: 'suspend resume' };

export const OUTLINED: Readonly<Record<string, string>> = {
  ...{ b: 'init with take', c: 'init with copy', d: 'assign with take', f: 'assign with copy', h: 'destroy' },
  ...{ y: 'copy', e: 'consume', r: 'retain', s: 'release' },
};
export const VALUE_WITNESSES: Readonly<Record<string, string>> = {
  ...{ ca: 'assignWithCopy', ta: 'assignWithTake', xx: 'destroy', cp: 'initializeWithCopy', tk: 'initializeWithTake' },
  ...{ CP: 'initializeBufferWithCopyOfBuffer', ug: 'getEnumTag', up: 'destructiveProjectEnumData' },
  ...{ ui: 'destructiveInjectEnumTag', et: 'getEnumTagSinglePayload', st: 'storeEnumTagSinglePayload' },
};
export const METADATA: Readonly<Record<string, string>> = {
  ...{ a: 'type metadata accessor for ', r: 'type metadata completion function for ' },
  ...{ i: 'type metadata instantiation function for ' },
};
