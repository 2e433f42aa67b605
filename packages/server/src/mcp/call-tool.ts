// Calls a tool for an agent: what it may, with what was sent, in an answer of a bounded length.
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Operation } from '@chauffeur/contract/operation';
import type { AccountCaller, Context } from '../context.ts';
import { recordCall } from '../features/agents/agents.ts';
import { asKnownError, asUnexpected } from '../request/as-api-error.ts';
import { countByMinute } from '../request/minute-limit.ts';
import { checkParts, invalidCode, type Parts } from '../request/perform.ts';
import { askOwner, isRisky, mustWait, type RiskyInput, requireRiskyInput } from './approval-tools.ts';
import { defuse } from './defuse.ts';
import { type Fitted, fit, isShort, lengthOf } from './fit.ts';
import type { Schema } from './schema-walk.ts';
import type { Tool } from './tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** As `tools/call` answers it: an error is a result as well, which the agent reads and can act on. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
};

const countCall = countByMinute();

/** Never throws: whatever goes wrong is an answer. */
export async function callTool(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<ToolResult> {
  const about: Writable<About> = { name: tool.name, game: gameOf(args) };
  const { error, result } = await attempt(ctx, caller, about, async () => {
    const data = await performTool(ctx, caller, tool, args);
    const { game, code } = data as Told;
    // An approval is asked for by its own uid, and says which game it is about.
    about.game = gameOf({ uid: game?.game_uid }) ?? about.game;
    about.outcome = code;
    return answerOf(data, tool);
  });
  return error === null ? result : errorResult(error);
}

/** What an answer may tell of its call. */
type Told = { game?: { game_uid?: unknown }; code?: number };

type About = {
  readonly name: string;
  readonly game: string | undefined;
  /** The code of an answer that is no error; 0 where absent. */
  readonly outcome?: number | undefined;
};
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

type Attempt<T> = { error: null; result: T } | { error: ApiError; result: null };

/** Does `work` within the agent’s limit, and writes down how it ended. */
export async function attempt<T>(
  ctx: Context,
  caller: AccountCaller,
  about: About,
  work: () => Promise<T>,
): Promise<Attempt<T>> {
  const start = performance.now();
  try {
    const most = ctx.config.limitAgents;
    const message = `This agent has reached its limit of ${most} calls a minute`;
    countCall(ctx, caller.agent?.id ?? caller.user.id, { most, message });
  } catch (thrown) {
    // Not written down: that is what keeps the record bounded.
    return { error: errorOf(ctx, about.name, thrown), result: null };
  }
  const ended: Attempt<T> = await work().then(
    (result) => ({ error: null, result }),
    (thrown: unknown) => ({ error: errorOf(ctx, about.name, thrown), result: null }),
  );
  const outcome = ended.error?.code ?? about.outcome ?? 0;
  ctx.metrics.agentCalls.inc({ tool: about.name, code: outcome });
  const call = { tool: about.name, game: about.game, outcome, milliseconds: Math.round(performance.now() - start) };
  // What is done is done: an answer that says otherwise would have it done again.
  await recordCall(ctx, caller, call).catch((err) => ctx.log.error({ err, call }, 'a call could not be written down'));
  return ended;
}

function errorOf(ctx: Context, name: string, thrown: unknown): ApiError {
  const error = asKnownError(thrown) ?? asUnexpected(thrown);
  if (error.status >= 500) ctx.log.error({ err: thrown, code: error.code, tool: name }, 'tool failed');
  return error;
}

function gameOf({ uid }: Arguments): string | undefined {
  return typeof uid === 'string' ? uid : undefined;
}

/** Throws ApiError. */
async function performTool(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<object> {
  if (tool.mark.scope === 'mcp:write' && caller.agent?.mayWrite !== true)
    throw new ApiError(4031, 'This key or connection may only read.');
  requireKnownArguments(tool, args);
  if (isRisky(tool.name)) requireRiskyInput(args);
  if (mustWait(tool.name, args as RiskyInput)) {
    checkParts(tool.operation, partsOf(tool.operation, args));
    return askOwner(ctx, caller, tool.name, args as RiskyInput);
  }
  return performShort(ctx, caller, tool, args);
}

/** A list that is too long is asked again for fewer items: so its cursor stands where the answer ends. */
async function performShort(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<object> {
  const ask = async (given: Arguments) =>
    (await tool.perform(ctx, caller, partsOf(tool.operation, given))).data as object;
  let data = await ask(args);
  if (!isPaged(tool.operation) || tool.mark.scope !== 'mcp:read') return data;
  for (let tries = 0; tries < 4 && !isShort(data, tool.output); tries += 1) {
    const items = Math.max(...Object.values(data).map((field) => (Array.isArray(field) ? field.length : 0)));
    const limit = Math.floor((items * LIMITS.agentAnswerLength * 0.8) / lengthOf(data, tool.output));
    if (items <= 1) break;
    data = await ask({ ...args, limit: Math.max(1, Math.min(limit, items - 1)) });
  }
  return data;
}

function isPaged({ query }: Operation): boolean {
  const { properties = {} } = (query ?? {}) as Schema;
  return Object.hasOwn(properties, 'cursor') && Object.hasOwn(properties, 'limit');
}

function requireKnownArguments({ operation, definition }: Tool, args: Arguments): void {
  const known = Object.keys(definition.inputSchema.properties as object);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = JSON.stringify(defuse(unknown).slice(0, 64));
  throw new ApiError(
    invalidCode(operation),
    `${name}: there is no such parameter; those of this tool are ${known.join(', ') || 'none'}.`,
  );
}

/** Arguments, each to the part of the operation that has a field of its name. */
export function partsOf(operation: Operation, args: Arguments): Parts {
  const pick = (part: unknown) => {
    const names = Object.keys((part as Schema | undefined)?.properties ?? {});
    return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
  };
  return { params: pick(operation.params), query: pick(operation.query), body: pick(operation.body) };
}

function answerOf(data: object, { output, mark }: Tool): ToolResult {
  const fitted = fit(data, output);
  const readOn = mark.more ?? 'Ask for less: with a filter, or a smaller limit and next_cursor.';
  const structured =
    fitted.cuts.length === 0 ? fitted.value : { ...fitted.value, cut: { left_out: fitted.cuts, read_on: readOn } };
  return {
    content: [{ type: 'text', text: textOf(fitted, readOn) }],
    structuredContent: structured as Record<string, unknown>,
  };
}

/** With what was left out below. */
export function textOf({ text, cuts }: Fitted, readOn: string): string {
  if (cuts.length === 0) return text;
  const lines = cuts.map(({ at, shown, of }) => `- ${at}: ${shown} of ${of} shown`);
  return [text, '', 'Left out to keep this short:', ...lines, readOn].join('\n');
}

/** The code and the remedy, for people and programs. */
function errorResult({ code, message, data }: ApiError): ToolResult {
  const { remedy } = ERRORS[code];
  const facts = Object.entries(data ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const text = [`Error ${code}: ${defuse(message)}`, `What to do: ${remedy}`, ...facts].join('\n');
  return {
    content: [{ type: 'text', text: text.slice(0, LIMITS.agentAnswerLength) }],
    isError: true,
    _meta: { 'chauffeur/error': { code, message, remedy, ...(data !== undefined && { data }) } },
  };
}
