// Reads exceptions, and how they relate to what was thrown. Clients send that last, after what led to it, with
// numbers that say which exception belongs to which, or without.
import { redactText } from '../privacy.ts';
import { countOf, fieldOf, flagOf, isFields, lineOf, listOf, numberOf, textOf } from '../values.ts';
import type { ExceptionRelation, SentryException } from './event.ts';
import { type FrameBudget, stackOf } from './stacks.ts';

export const EXCEPTION_LIMITS = { exceptions: 32, typeLength: 255, valueLength: 4000 } as const;

type Sent = Readonly<Record<string, unknown>>;

/** The thrown exception first. A list of exceptions, an object with one, or one exception. */
export function exceptionsOf(value: unknown, budget: FrameBudget): SentryException[] {
  const sent = listOf(value)
    .filter((each) => isFields(each) && isException(each))
    .slice(-EXCEPTION_LIMITS.exceptions)
    .reverse() as Sent[];
  const thrown = Math.max(
    0,
    sent.findIndex((each) => numberAt(each, 'exception_id') === 0),
  );
  const ordered = thrown === 0 ? sent : [sent[thrown]!, ...sent.filter((_, index) => index !== thrown)];
  const relations = relate(ordered);
  return ordered.map((each, index) => exceptionOf(each, relations[index]!, budget));
}

/** An object without a type, a message and a stack is not an exception. */
function isException(sent: Sent): boolean {
  return lineOf(sent.type, 1) !== '' || textOf(sent.value, 1) !== '' || isFields(sent.stacktrace);
}

function exceptionOf(sent: Sent, relation: ExceptionRelation, budget: FrameBudget): SentryException {
  const mechanism = sent.mechanism;
  return {
    ...typeAndValue(sent),
    module: lineOf(sent.module, EXCEPTION_LIMITS.typeLength),
    relation,
    mechanism: lineOf(fieldOf(mechanism, 'type'), 100),
    isHandled: flagOf(fieldOf(mechanism, 'handled')),
    isSynthetic: flagOf(fieldOf(mechanism, 'synthetic')) === true,
    signal: signalOf(fieldOf(mechanism, 'meta')),
    threadId: lineOf(sent.thread_id, 64),
    stack: stackOf(sent.stacktrace, budget),
  };
}

/** Unity's games for the web know an exception only as a text of the log, such as `Exception: it broke`. */
const LOGGED = /^((?:[A-Za-z_]\w{0,99}\.){0,10}\w{0,99}(?:Exception|Error)): /;

function typeAndValue(sent: Sent): Pick<SentryException, 'type' | 'value'> {
  const type = lineOf(sent.type, EXCEPTION_LIMITS.typeLength);
  const value = redactText(textOf(sent.value, EXCEPTION_LIMITS.valueLength)).trim();
  const logged = type === 'LogException' ? LOGGED.exec(value) : null;
  return logged === null ? { type, value } : { type: logged[1]!, value: value.slice(logged[0].length).trim() };
}

/** Clients for Android write the signal of a tombstone without an object around it. */
function signalOf(meta: unknown): SentryException['signal'] {
  const signal = fieldOf(meta, 'signal') ?? meta;
  const name = lineOf(fieldOf(signal, 'name'), 32);
  const number = countOf(fieldOf(signal, 'number'), 1024);
  return name === '' && number === null ? null : { name, number };
}

function numberAt(sent: Sent, name: 'exception_id' | 'parent_id'): number | null {
  return numberOf(fieldOf(sent.mechanism, name));
}

/** Without numbers, each one is the cause of the one before it. */
function relate(ordered: readonly Sent[]): ExceptionRelation[] {
  const relations: ExceptionRelation[] = [];
  const byId = new Map<number, ExceptionRelation>();
  /** Exceptions that have a cause. Any further one is its sibling. */
  const parents = new Set<number>();
  for (const [index, sent] of ordered.entries()) {
    const parent = numberAt(sent, 'parent_id');
    const relation = index === 0 ? 'thrown' : relationOf(sent, parent, { byId, parents });
    relations.push(relation);
    const id = numberAt(sent, 'exception_id');
    if (id !== null) byId.set(id, relation);
    if (parent !== null) parents.add(parent);
  }
  return relations;
}

function relationOf(
  sent: Sent,
  parent: number | null,
  { byId, parents }: { byId: ReadonlyMap<number, ExceptionRelation>; parents: ReadonlySet<number> },
): ExceptionRelation {
  const source = lineOf(fieldOf(sent.mechanism, 'source'), 32);
  if (source === '__context__') return 'handled';
  if (lineOf(fieldOf(sent.mechanism, 'type'), 32) === 'suppressed') return 'suppressed';
  if (parent === null) return 'cause';
  const ofParent = byId.get(parent) ?? 'thrown';
  // What led to an exception that doesn't matter doesn't matter, either.
  if (ofParent !== 'thrown' && ofParent !== 'cause') return ofParent;
  return parents.has(parent) ? 'sibling' : 'cause';
}
