// Calls a tool for an agent: checks its access and the arguments, and limits the length of the result.
import { ApiError, ERRORS, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Operation } from '@chauffeur/contract/operation';
import type { AccountCaller, Context } from '../context.ts';
import { recordOperation } from '../request/audit.ts';
import { asKnownError, asUnexpected, logFailure } from '../request/failures.ts';
import { countByMinute } from '../request/minute-limit.ts';
import { callerOf, checkParts, invalidCode, type Parts } from '../request/perform.ts';
import { logCall } from '../team/agents/agents.ts';
import { askOwner, isRisky, mustWait, type RiskyInput, requireRiskyInput } from './approval-tools.ts';
import { type Fitted, fit, isShort, lengthOf } from './fit.ts';
import { escapeHidden } from './render.ts';
import type { Schema } from './schema-walk.ts';
import type { Tool } from './tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The result of `tools/call`. Errors are results as well, so that the agent can read them and act on them. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
};

const countCall = countByMinute('agent_calls');

/** Never throws: every error becomes a result. */
export async function callTool(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<ToolResult> {
  const about: Writable<About> = { name: tool.name, game: gameOf(args) };
  const { error, result } = await attempt(ctx, caller, about, async () => {
    const data = await performTool(ctx, caller, tool, args);
    const { game, code } = data as LoggedFields;
    // The uid of an approval tool is that of the approval, so the game is taken from the result.
    about.game = gameOf({ uid: game?.game_uid }) ?? about.game;
    about.outcome = code;
    return resultOf(data, tool);
  });
  return error === null ? result : errorResult(error);
}

/** Fields of results that the call log records. */
type LoggedFields = { game?: { game_uid?: unknown }; code?: number };

type About = {
  readonly name: string;
  readonly game: string | undefined;
  /** The code of a result that is not an error; 0 by default. */
  readonly outcome?: number | undefined;
};
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

type Attempt<T> = { error: null; result: T } | { error: ApiError; result: null };

/** Runs `work` within the limit of the agent, and records the outcome. */
export async function attempt<T>(
  ctx: Context,
  caller: AccountCaller,
  about: About,
  work: () => Promise<T>,
): Promise<Attempt<T>> {
  const start = performance.now();
  try {
    const max = ctx.config.limitAgents;
    const message = `This agent has reached its limit of ${max} calls a minute`;
    countCall(ctx, caller.agent?.id ?? caller.user.id, { max, message });
  } catch (thrown) {
    // Calls above the limit are not recorded, so that the log cannot grow without a limit.
    return { error: errorOf(ctx, about.name, thrown), result: null };
  }
  const attempted: Attempt<T> = await work().then(
    (result) => ({ error: null, result }),
    (thrown: unknown) => ({ error: errorOf(ctx, about.name, thrown), result: null }),
  );
  const outcome = attempted.error?.code ?? about.outcome ?? 0;
  ctx.metrics.agentCalls.inc({ tool: about.name, code: outcome });
  const call = { tool: about.name, game: about.game, outcome, milliseconds: Math.round(performance.now() - start) };
  // The change has been made, so a failure to record it must not look like a failure of the call, which the agent would
  // repeat.
  await logCall(ctx, caller, call).catch((err) => ctx.log.error({ err, call }, 'could not record a call'));
  return attempted;
}

function errorOf(ctx: Context, name: string, thrown: unknown): ApiError {
  const error = asKnownError(thrown) ?? asUnexpected(thrown);
  if (error.status >= 500) logFailure(ctx, ctx.log, { thrown, code: error.code, tool: name }, 'tool failed');
  return error;
}

function gameOf({ uid }: Arguments): string | undefined {
  return typeof uid === 'string' ? uid : undefined;
}

/** Throws ApiError. */
async function performTool(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<object> {
  if (tool.mark.scope === 'mcp:write' && caller.agent?.mayWrite !== true)
    throw errors.notAllowed('This key or connection has read access only.');
  requireKnownArguments(tool, args);
  if (isRisky(tool.name)) requireRiskyInput(args);
  if (isRisky(tool.name)) checkParts(tool.operation, partsOf(tool.operation, args));
  if (await mustWait(ctx, tool.name, args as RiskyInput)) {
    const { operation } = tool;
    const ask = () => askOwner(ctx, callerOf(operation, caller), tool.name, args as RiskyInput);
    // A request that waits changes nothing yet. An agent that collects what was approved does.
    return recordOperation(ctx, { operation: { ...operation, audit: 'changes' }, caller, input: args }, ask);
  }
  return performShort(ctx, caller, tool, args);
}

/**
 * Reads a list that is too long again with a smaller limit, so that its cursor continues after the last item of the
 * result.
 */
async function performShort(ctx: Context, caller: AccountCaller, tool: Tool, args: Arguments): Promise<object> {
  const read = async (input: Arguments) =>
    (await tool.perform(ctx, caller, partsOf(tool.operation, input))).data as object;
  let data = await read(args);
  if (!isPaged(tool.operation) || tool.mark.scope !== 'mcp:read') return data;
  for (let tries = 0; tries < 4 && !isShort(data, tool.output); tries += 1) {
    const items = Math.max(...Object.values(data).map((field) => (Array.isArray(field) ? field.length : 0)));
    const limit = Math.floor((items * LIMITS.agentAnswerLength * 0.8) / lengthOf(data, tool.output));
    if (items <= 1) break;
    data = await read({ ...args, limit: Math.max(1, Math.min(limit, items - 1)) });
  }
  return data;
}

function isPaged({ query }: Operation): boolean {
  const { properties = {} } = (query ?? {}) as Schema;
  return Object.hasOwn(properties, 'cursor') && Object.hasOwn(properties, 'limit');
}

function requireKnownArguments({ operation, definition }: Tool, args: Arguments): void {
  const parameters = Object.keys(definition.inputSchema.properties as object);
  const unknown = Object.keys(args).find((name) => !parameters.includes(name));
  if (unknown === undefined) return;
  const name = JSON.stringify(escapeHidden(unknown).slice(0, 64));
  throw new ApiError(
    invalidCode(operation),
    `${name}: unknown parameter; the parameters of this tool are ${parameters.join(', ') || 'none'}.`,
  );
}

/** Divides the arguments into the parts of the operation, by the names of their fields. */
export function partsOf(operation: Operation, args: Arguments): Parts {
  const pick = (part: unknown) => {
    const names = Object.keys((part as Schema | undefined)?.properties ?? {});
    return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
  };
  return { params: pick(operation.params), query: pick(operation.query), body: pick(operation.body) };
}

function resultOf(data: object, { output, mark }: Tool): ToolResult {
  const fitted = fit(data, output);
  const readOn = mark.more ?? 'Use a filter, or a smaller limit with next_cursor.';
  const structured =
    fitted.cuts.length === 0 ? fitted.value : { ...fitted.value, cut: { left_out: fitted.cuts, read_on: readOn } };
  return {
    content: [{ type: 'text', text: textOf(fitted, readOn) }],
    structuredContent: structured as Record<string, unknown>,
  };
}

/** The text, followed by a list of what was left out. */
export function textOf({ text, cuts }: Fitted, readOn: string): string {
  if (cuts.length === 0) return text;
  const lines = cuts.map(({ at, shown, of }) => `- ${at}: ${shown} of ${of} shown`);
  return [text, '', 'Left out to keep this short:', ...lines, readOn].join('\n');
}

/** Has the code and the remedy as text and as data. */
function errorResult({ code, message, data }: ApiError): ToolResult {
  const { remedy } = ERRORS[code];
  const details = Object.entries(data ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const text = [`Error ${code}: ${escapeHidden(message)}`, `What to do: ${remedy}`, ...details].join('\n');
  return {
    content: [{ type: 'text', text: text.slice(0, LIMITS.agentAnswerLength) }],
    isError: true,
    _meta: { 'chauffeur/error': { code, message, remedy, ...(data !== undefined && { data }) } },
  };
}
