// Chooses the tools that a client is offered, because some clients take only forty: `/mcp?tools=crashes,list_channels`
// names groups and single tools.
import { errors } from '@chauffeur/contract/errors';
import type { Tag } from '@chauffeur/contract/tags';
import { isRisky } from './approval-tools.ts';
import type { Tool } from './tools.ts';

/** The groups, by the tags of the operations in them. Every tool is in one group. */
export const TOOL_GROUPS = {
  approvals: ['approvals'],
  audit: ['audit'],
  bugs: ['bugs'],
  builds: ['builds', 'deployInfo', 'source', 'store', 'versions'],
  channels: ['channels'],
  crashes: ['crashes', 'impact', 'issueTracker', 'refusals'],
  games: ['games', 'organisations', 'overview'],
  health: ['health'],
  keys: ['deployKeys'],
  media: ['media', 'videos'],
  rollouts: ['rollouts'],
  sentry: ['dsns'],
  statistics: ['statistics'],
  symbols: ['symbols'],
} as const satisfies Readonly<Record<string, readonly Tag[]>>;

/** Nearly every other tool needs a game's uid or slug from it. */
const FIRST = 'list_games';
/** What a tool needs that waits for the owner's approval. */
const APPROVAL_GROUP = 'approvals';

export function toolGroupOf({ operation }: Pick<Tool, 'operation'>): string {
  const [tag] = operation.id.split('.') as [Tag];
  const match = Object.entries(TOOL_GROUPS).find(([, tags]) => (tags as readonly Tag[]).includes(tag));
  if (match === undefined) throw new Error(`${operation.id} is in no group of tools`);
  return match[0];
}

/**
 * The tools that `choice` names, in their usual order; all of them if it is undefined. `list_games` is always among
 * them, and so are the tools for approvals if one of the others can need an approval. Throws `invalid`.
 */
export function chooseTools(tools: ReadonlyMap<string, Tool>, choice: string | undefined): ReadonlyMap<string, Tool> {
  if (choice === undefined) return tools;
  const names = choice.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !tools.has(name) && !Object.hasOwn(TOOL_GROUPS, name));
  if (unknown !== undefined) throw errors.invalid(describeChoice(tools, unknown));
  const chosen = new Set(names);
  const isChosen = (tool: Tool) => tool.name === FIRST || chosen.has(tool.name) || chosen.has(toolGroupOf(tool));
  if ([...tools.values()].some((tool) => isChosen(tool) && isRisky(tool.name))) chosen.add(APPROVAL_GROUP);
  return new Map([...tools].filter(([, tool]) => isChosen(tool)));
}

const MAX_NAME_LENGTH = 64;

function describeChoice(tools: ReadonlyMap<string, Tool>, name: string): string {
  const what =
    name === '' ? 'names nothing' : `${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))} is not a group or tool`;
  return `tools: ${what}. The groups are ${Object.keys(TOOL_GROUPS).join(', ')}. The tools are ${[...tools.keys()].sort().join(', ')}.`;
}
