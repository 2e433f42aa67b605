// What a page about a crash shows beside its summary: the whole stack, the end of the log, groups like it, symbols that it lacked.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CrashFrame, MissingModule } from './crashes.ts';
import { GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

export const MODULE_SYMBOLS = ['loaded', 'not_needed', 'missing', 'corrupt'] as const;

const CrashParams = Type.Object({ uid: GameRef, crash_id: Uuid });

export const StackFrame = Type.Object({
  ...CrashFrame.properties,
  own: Type.Boolean({
    description: 'Code of the game; false for runtimes, the system, and what is no code of a module',
  }),
});

export const StackThread = Type.Object({
  thread_id: Type.Integer(),
  name: Nullable(Type.String()),
  frames: Type.Array(StackFrame, {
    description: 'The innermost first, inlined functions before the one that they are in',
  }),
  more_frames: Type.Integer({ description: 'How many follow that are not shown' }),
  cut: Type.Boolean({ description: 'Whether the walk itself ended before the stack did' }),
});

export const StackModule = Type.Object({
  name: Type.String(),
  own: Type.Boolean({ description: 'false for what belongs to the system' }),
  version: Nullable(Type.String()),
  debug_file: Type.String(),
  debug_id: Type.String(),
  base: Type.String(),
  end: Type.String({ description: 'One past its last byte' }),
  symbols: Type.Enum([...MODULE_SYMBOLS], {
    description: 'not_needed: no stack goes through it; corrupt: see problem',
  }),
  problem: Nullable(Type.String()),
});

export const CrashStack = Type.Object({
  written_at: Timestamp,
  reason: Nullable(Type.String()),
  address: Nullable(Type.String()),
  assertion: Nullable(Type.String()),
  uptime_seconds: Nullable(Type.Number()),
  system: Type.Object({
    os: Type.String(),
    os_version: Type.String(),
    cpu: Type.String(),
    cpu_info: Nullable(Type.String()),
    cpu_count: Type.Integer(),
  }),
  crashed: Nullable(StackThread),
  registers: Type.Record(Type.String(), Type.String(), { description: 'Of the first frame of the crashed thread' }),
  threads: Type.Array(StackThread, { description: 'The other threads, each shortened' }),
  more_threads: Type.Integer({ description: 'How many others are not shown' }),
  modules: Type.Array(StackModule, { description: 'Those that the stacks go through first' }),
  more_modules: Type.Integer({ description: 'How many are not shown' }),
  warnings: Type.Array(Type.String(), { description: 'What was damaged or missing in the dump' }),
});

export const getCrashStack = defineOperation({
  id: 'crashes.getStack',
  summary: 'The whole stack of the crashed thread, the tops of the others, modules, registers and system',
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/stack',
  access: 'account',
  params: CrashParams,
  output: CrashStack,
  statuses: [200],
  errors: [4040, 4090],
});

export const getCrashLog = defineOperation({
  id: 'crashes.getLog',
  summary: 'The end of a report’s log as text, without the names of people’s folders',
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/log',
  access: 'account',
  params: CrashParams,
  output: Type.Object({
    text: Type.String({
      description: `At most the last ${LIMITS.crashLogShownBytes} bytes, from the beginning of a line`,
    }),
    size: Type.Integer({ description: 'Bytes of the whole log' }),
    is_cut: Type.Boolean({ description: 'Whether there is more before the text' }),
  }),
  statuses: [200],
  errors: [4040, 4090],
});

export const listSimilarGroups = defineOperation({
  id: 'crashes.similarGroups',
  summary: `Up to ${LIMITS.similarGroups} groups whose stacks begin in the same functions, those with the most in common first`,
  method: 'GET',
  path: '/games/{uid}/crash-groups/{group_id}/similar',
  access: 'account',
  params: Type.Object({ uid: GameRef, group_id: Uuid }),
  output: Type.Object({
    groups: Type.Array(
      Type.Object({
        group_id: Uuid,
        title: Type.String(),
        reason: Nullable(Type.String()),
        status: Type.Enum(['open', 'resolved']),
        count: Type.Integer(),
        last_seen: Timestamp,
        shared: Type.Array(Type.String(), { description: 'The functions of both' }),
      }),
    ),
  }),
  statuses: [200],
  errors: [4040],
});

export const listMissingSymbols = defineOperation({
  id: 'crashes.missingSymbols',
  summary: 'The modules whose symbols the newest crash reports of a build lacked, and why, the most lacked first',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/symbols/missing',
  access: 'account',
  params: Type.Object({ uid: GameRef, build_id: Uuid }),
  output: Type.Object({
    reports: Type.Integer({
      description: `How many reports were looked at: the newest ${LIMITS.missingSymbolReports} at most`,
    }),
    modules: Type.Array(
      Type.Object({ ...MissingModule.properties, crashes: Type.Integer({ description: 'Reports that lacked them' }) }),
    ),
  }),
  statuses: [200],
  errors: [4006, 4040],
});
