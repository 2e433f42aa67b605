// The threads of a crash report, one at a time: all frames, the registers, and the memory of the stack.
import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { StackFrame } from './crash-stacks.ts';
import { CrashParams, Foreign, GameRef, Nullable, Uuid } from './fields.ts';

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

export const ThreadSummary = Type.Object({
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

export const ThreadDetail = Type.Object({
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
