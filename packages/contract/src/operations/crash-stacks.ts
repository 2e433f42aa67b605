// Details of a crash beyond its summary: the whole stack, the other threads, the end of the log, similar groups and
// missing symbols.
import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GROUP_STATUSES } from './crash-groups.ts';
import { CrashFrame, MissingModule, SourceOfText } from './crash-reports.ts';
import { BuildParams, CrashParams, Foreign, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

export const MODULE_SYMBOLS = ['loaded', 'not_needed', 'missing', 'corrupt'] as const;

/** How an exception in a text relates to the main one, by which the report is grouped. */
export const EXCEPTION_RELATIONS = ['consequence', 'suppressed', 'handled', 'sibling'] as const;

export const StackFrame = Type.Object({
  ...CrashFrame.properties,
  column: Type.Optional(Nullable(Type.Integer({ description: 'Only of stacks that were read from a text' }))),
  own: Type.Boolean({
    description: "Whether it is the game's own code; false for runtimes, the OS and addresses outside of any module",
  }),
});
export type StackFrame = Static<typeof StackFrame>;

const SourcedFrame = Type.Object({ ...StackFrame.properties, source: SourceOfText });

export const StackThread = Type.Object({
  thread_id: Type.Integer(),
  name: Nullable(Type.String()),
  frames: Type.Array(SourcedFrame, {
    description: 'Innermost first; inlined functions come before the function that contains them',
  }),
  more_frames: Type.Integer({ description: 'Number of further frames, not included' }),
  cut: Type.Boolean({ description: 'Whether the stack walk stopped before the end of the stack' }),
});
export type StackThread = Static<typeof StackThread>;

export const StackModule = Type.Object({
  name: Type.String(),
  own: Type.Boolean({ description: 'false for modules of the OS' }),
  version: Nullable(Type.String()),
  debug_file: Type.String(),
  debug_id: Type.String({ description: 'The code id for a module without a debug id; empty if it has neither' }),
  base: Type.String(),
  end: Type.String({ description: 'Address after the last byte' }),
  symbols: Type.Enum([...MODULE_SYMBOLS], {
    description: 'not_needed: the module is on no stack; corrupt: see problem',
  }),
  problem: Nullable(Type.String()),
});

export const RelatedException = Type.Object({
  relation: Type.Enum([...EXCEPTION_RELATIONS], {
    description:
      'consequence: it was thrown because of the main one; handled: the main one was thrown while it was being handled',
  }),
  type: Foreign(Type.String()),
  message: Foreign(Type.String()),
  frames: Type.Array(SourcedFrame, { description: 'Innermost first' }),
});
export type RelatedException = Static<typeof RelatedException>;

export const CrashStack = Type.Object({
  format: Nullable(
    Type.String({ description: "The format of the text that it was read from; null if it is a dump's" }),
  ),
  written_at: Timestamp,
  reason: Nullable(Type.String()),
  address: Nullable(Type.String()),
  assertion: Nullable(Type.String({ description: 'The text of a failed assertion, or the message of an exception' })),
  uptime_seconds: Nullable(Type.Number()),
  system: Type.Object({
    os: Type.String(),
    os_version: Type.String(),
    cpu: Type.String(),
    cpu_info: Nullable(Type.String()),
    cpu_count: Type.Integer(),
  }),
  crashed: Nullable(StackThread),
  related: Type.Array(RelatedException, { description: 'Other exceptions that the text has; a dump has none' }),
  registers: Type.Record(Type.String(), Type.String(), {
    description: 'Registers in the first frame of the crashed thread',
  }),
  threads: Type.Array(StackThread, { description: 'Other threads, only their first frames' }),
  more_threads: Type.Integer({ description: 'Number of further threads, not included' }),
  modules: Type.Array(StackModule, { description: 'Modules that are on a stack come first' }),
  more_modules: Type.Integer({ description: 'Number of further modules, not included' }),
  warnings: Type.Array(Type.String(), { description: 'Parts of the dump that were damaged or missing' }),
});
export type CrashStack = Static<typeof CrashStack>;

export const getCrashStack = defineOperation({
  id: 'crashes.getStack',
  summary: 'Get the stack of the crashed thread, with other threads, modules, registers and system details',
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/stack',
  access: 'account',
  role: 'viewer',
  params: CrashParams,
  output: CrashStack,
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const getCrashLog = defineOperation({
  id: 'crashes.getLog',
  summary: "Get the end of a report's log as text, without the names of user folders",
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/log',
  access: 'account',
  role: 'triager',
  params: CrashParams,
  output: Type.Object({
    text: Type.String({
      description: `At most the last ${LIMITS.crashLogShownBytes} bytes, starting at the beginning of a line`,
    }),
    size: Type.Integer({ description: 'Size of the whole log in bytes' }),
    is_cut: Type.Boolean({ description: 'Whether the beginning of the log was left out' }),
  }),
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const listSimilarGroups = defineOperation({
  id: 'crashes.similarGroups',
  summary: `List up to ${LIMITS.similarGroups} groups whose stacks start in the same functions, most similar first`,
  method: 'GET',
  path: '/games/{uid}/crash-groups/{group_id}/similar',
  access: 'account',
  role: 'viewer',
  params: Type.Object({ uid: GameRef, group_id: Uuid }),
  output: Type.Object({
    groups: Type.Array(
      Type.Object({
        group_id: Uuid,
        title: Type.String(),
        reason: Nullable(Type.String()),
        status: Type.Enum([...GROUP_STATUSES]),
        count: Type.Integer(),
        last_seen: Timestamp,
        shared: Type.Array(Type.String(), { description: 'Functions that both groups have' }),
      }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const listMissingSymbols = defineOperation({
  id: 'crashes.missingSymbols',
  summary: 'List the modules without symbols in the newest crash reports of a build, most frequent first',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/symbols/missing',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  output: Type.Object({
    reports: Type.Integer({
      description: `Number of reports examined: at most the newest ${LIMITS.missingSymbolReports}`,
    }),
    modules: Type.Array(
      Type.Object({ ...MissingModule.properties, crashes: Type.Integer({ description: 'Reports that need them' }) }),
    ),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
});

// Threads are read one at a time: all frames, the registers, and the memory of the stack.

/** `unknown`: the thread was not walked, or its functions have no names. */
const THREAD_STATES = ['crashed', 'running', 'waiting', 'unknown'] as const;
/** `reprocess`: the dump was processed by an older version of the server, which did not keep memory. */
const MEMORY_PROBLEMS = ['reprocess', 'not_in_dump'] as const;

const CrashThread = Type.Object({
  thread: Type.Integer({ description: 'Number of the thread in the dump, from 0' }),
  thread_id: Type.Integer({ description: 'Number of the thread in the operating system' }),
  name: Nullable(Foreign(Type.String())),
  state: Type.Enum([...THREAD_STATES], {
    description: 'waiting: its first frame is a function of the OS that waits',
  }),
  frame_count: Type.Integer({ description: 'Number of frames, including inlined functions' }),
  is_cut: Type.Boolean({ description: 'Whether the stack walk stopped before the end of the stack' }),
});
export type CrashThread = Static<typeof CrashThread>;

const ThreadSummary = Type.Object({
  ...CrashThread.properties,
  /** The first frame in the game's own code, or the first frame if there is none. */
  frame: Nullable(StackFrame),
});
export type ThreadSummary = Static<typeof ThreadSummary>;

const StackWord = Type.Object({
  address: Type.String(),
  value: Type.String(),
  points_to: Nullable(
    Foreign(
      Type.String({ description: 'A function and an offset, such as `game!Player::move + 0x1c`, or only a module' }),
    ),
  ),
});

const ThreadDetail = Type.Object({
  ...CrashThread.properties,
  last_error: Nullable(Type.String({ description: 'Windows: what GetLastError would return' })),
  registers: Type.Record(Type.String(), Type.String(), {
    description: 'Registers in the first frame, in the usual order of the CPU',
  }),
  frames: Type.Array(StackFrame, {
    description: 'Innermost first; inlined functions come before the function that contains them',
  }),
  first_frame: Type.Integer({ description: 'Number of frames before `frames`' }),
  more_frames: Type.Integer({ description: 'Number of frames after `frames`' }),
  memory: Nullable(
    Type.Object(
      {
        stack_pointer: Nullable(Type.String()),
        word_size: Type.Enum([4, 8]),
        words: Type.Array(StackWord, { description: 'In the order of their addresses' }),
      },
      { description: 'Memory at the stack pointer; null unless words were requested' },
    ),
  ),
  memory_problem: Nullable(
    Type.Enum([...MEMORY_PROBLEMS], {
      description: 'Why memory that was requested is not available: see docs/crashes.md',
    }),
  ),
});
export type ThreadDetail = Static<typeof ThreadDetail>;

export const listCrashThreads = defineOperation({
  id: 'crashes.listThreads',
  summary: `List the threads of a dump, the crashed one first, up to ${LIMITS.threadsListed}`,
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/threads',
  access: 'account',
  role: 'viewer',
  params: CrashParams,
  output: Type.Object({
    threads: Type.Array(ThreadSummary),
    more_threads: Type.Integer({ description: 'Number of further threads, not included' }),
  }),
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const getCrashThread = defineOperation({
  id: 'crashes.getThread',
  summary: 'Get one thread of a dump with its frames and registers, and the memory of its stack',
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/threads/{thread}',
  access: 'account',
  role: 'triager',
  params: Type.Object({
    uid: GameRef,
    crash_id: Uuid,
    thread: Type.String({ pattern: '^(0|[1-9][0-9]{0,5})$', description: 'Number of the thread in the dump, from 0' }),
  }),
  query: Type.Object({
    first_frame: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Number of frames to skip; 0 by default' }),
    ),
    frames: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.threadFrames,
        description: 'Maximum number of frames; 40 by default',
      }),
    ),
    words: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.threadWords,
        description: 'Maximum number of words of the stack, which can contain personal data; 0 by default',
      }),
    ),
  }),
  output: ThreadDetail,
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
  mcp: {
    tool: 'get_crash_thread',
    when: 'Use it when another thread than the crashed one matters, such as in a deadlock or a race. The crashed thread is in get_crash.',
    scope: 'mcp:read',
  },
});
