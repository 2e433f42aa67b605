// Decides which lists of a game an operation changes, for the pages that show them.
import type { Operation } from '@chauffeur/contract/operation';
import type { ChangeTopic } from '@chauffeur/contract/operations/live';

export type { ChangeTopic };

/** Keys are the tags of operations. */
const TOPICS_OF_TAGS: Readonly<Record<string, ChangeTopic>> = {
  builds: 'builds',
  uploads: 'builds',
  files: 'builds',
  channels: 'builds',
  rollouts: 'builds',
  deployKeys: 'builds',
  crashes: 'crashes',
  dsns: 'crashes',
  symbols: 'crashes',
  bugs: 'bugs',
};

/** Null for an operation that only reads, and for one that changes nothing that a page follows. */
export function topicOfOperation({ id, method }: Pick<Operation, 'id' | 'method'>): ChangeTopic | null {
  return method === 'GET' ? null : (TOPICS_OF_TAGS[id.split('.')[0]!] ?? null);
}

/** The game in the input of an operation, or in the payload of a job. */
export function gameOfInput(input: unknown): string | null {
  const { uid, gameId } = (input ?? {}) as { uid?: unknown; gameId?: unknown };
  return typeof uid === 'string' ? uid : typeof gameId === 'string' ? gameId : null;
}
