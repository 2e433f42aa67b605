// The event of Sentry's SDK that a crash report came with: its exceptions with their causes, source lines, threads and
// breadcrumbs. What it says about the player's system is in the metadata and the facets of the report.
import Type, { type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Foreign, Nullable, Timestamp } from './fields.ts';

const ERROR_RELATIONS = ['thrown', 'cause', 'sibling', 'suppressed', 'handled'] as const;
const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;

export const SourceLines = Type.Object({
  first_line: Nullable(Type.Integer({ description: 'The number of the first of these lines' })),
  at: Type.Integer({ description: 'Which of them is the line of the frame, from 0' }),
  lines: Type.Array(Foreign(Type.String())),
});

/** `frame` are the properties of the frames of other stacks. */
function eventStackOf<Frame extends Record<string, TSchema>>(frame: Frame) {
  return Type.Object({
    frames: Type.Array(
      Type.Object({
        ...frame,
        in_app: Nullable(Type.Boolean({ description: "Whether the client says that it is the game's own code" })),
        source: Nullable(SourceLines),
      }),
      { description: 'Innermost first' },
    ),
    more_frames: Type.Integer({ description: 'Number of further frames, not included' }),
  });
}

const Data = Foreign(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])));

export const EventBreadcrumb = Type.Object({
  timestamp: Nullable(Timestamp),
  seconds_before: Nullable(Type.Number({ description: "Seconds before the event, by the device's clock" })),
  level: Type.Enum([...LEVELS]),
  category: Foreign(Type.String({ description: 'Such as ui.click; the type of the breadcrumb if it has none' })),
  message: Foreign(Type.String()),
  data: Data,
});
export type EventBreadcrumb = Static<typeof EventBreadcrumb>;

export function crashEventOf<Frame extends Record<string, TSchema>>(frame: Frame) {
  const Stack = eventStackOf(frame);
  return Type.Object({
    occurred_at: Nullable(Timestamp),
    level: Type.Enum([...LEVELS]),
    platform: Foreign(Type.String({ description: 'The language, such as csharp, javascript or native' })),
    release: Foreign(Type.String()),
    environment: Foreign(Type.String()),
    transaction: Foreign(Type.String({ description: 'Where in the game it was, such as the scene' })),
    sdk: Foreign(Type.String({ description: 'The name and the version of the client' })),
    fingerprint: Nullable(
      Type.Array(Foreign(Type.String()), {
        description: 'What the game groups the report by; `{{ default }}` is the usual grouping',
      }),
    ),
    exceptions: Type.Array(
      Type.Object({
        relation: Type.Enum([...ERROR_RELATIONS], {
          description:
            'thrown: it was thrown; cause: it led to the one before; handled: it was being handled when the other one was thrown',
        }),
        type: Foreign(Type.String()),
        message: Foreign(Type.String()),
        mechanism: Foreign(Type.String({ description: 'What recorded it, such as signalhandler' })),
        is_handled: Nullable(Type.Boolean({ description: 'false if nothing in the game caught it' })),
        ...Stack.properties,
      }),
      { description: 'What was thrown, then what led to it. Empty if the game sent only a message and a stack' },
    ),
    threads: Type.Array(
      Type.Object({
        name: Foreign(Type.String({ description: 'The id of a thread without a name' })),
        is_crashed: Type.Boolean(),
        ...Stack.properties,
      }),
      { description: `Up to ${LIMITS.eventThreads} threads, as far as the client sent them` },
    ),
    more_threads: Type.Integer({ description: 'Number of further threads, not included' }),
    breadcrumbs: Nullable(
      Type.Array(EventBreadcrumb, {
        description: 'What happened before, oldest first; null for members below triager',
      }),
    ),
    omissions: Type.Array(Foreign(Type.String({ description: 'What was cut or left out' }))),
  });
}
