// Resources: data that an agent can read by a URI. Each is the result of one operation.
import type { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/games';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { AccountCaller, Context } from '../context.ts';
import type { Perform, Performable } from '../request/perform.ts';
import { attempt, partsOf, textOf } from './call-tool.ts';
import { fit } from './fit.ts';
import type { Schema } from './schema-walk.ts';

const SCHEME = 'chauffeur://';
const MIME_TYPE = 'text/plain';
/** Games whose resources are listed. The resources of other games can be read with the templates. */
const MAX_GAMES = 50;

type Kind = {
  readonly name: string;
  readonly title: string;
  /** The path after the game, with `{name}` for parameters. */
  readonly path: string;
  readonly operation: string;
  readonly readOn: string;
};

const KINDS: readonly Kind[] = [
  {
    name: 'game',
    title: 'A game with its texts, visibility and members',
    path: 'game',
    operation: 'games.get',
    readOn: "The game's page on the website shows everything.",
  },
  {
    name: 'builds',
    title: 'The newest builds of a game',
    path: 'builds',
    operation: 'builds.listOfGame',
    readOn: 'Call list_game_builds with a limit and next_cursor to get more builds.',
  },
  {
    name: 'crash',
    title: "A crash report with its metadata, the player's message and the stack",
    path: 'crash/{crash_id}',
    operation: 'crashes.get',
    readOn: 'Call request_crash_download to get the whole stack, the log or the dump.',
  },
  {
    name: 'deploy',
    title: 'What is needed to ship builds of a game, without secrets',
    path: 'deploy',
    operation: 'deployInfo.ofGame',
    readOn: 'Call get_deploy_info to get everything.',
  },
];

type Resource = Kind & {
  readonly perform: Perform;
  readonly operationOf: Performable['operation'];
  readonly pattern: RegExp;
};

export type Resources = { readonly kinds: readonly Resource[]; readonly performListGames: Perform };

export function resourcesOf(operations: readonly Partial<Performable>[]): Resources {
  const find = (id: string): Performable => {
    const { operation, perform } = operations.find((candidate) => candidate.operation?.id === id) ?? {};
    if (operation === undefined || perform === undefined) throw new Error(`there is no operation ${id} to read`);
    return { operation, perform };
  };
  return {
    kinds: KINDS.map((kind) => {
      const { operation, perform } = find(kind.operation);
      const pattern = new RegExp(`^${SCHEME}(?<uid>[^/]+)/${kind.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      return { ...kind, perform, operationOf: operation, pattern };
    }),
    performListGames: find('games.list').perform,
  };
}

export function templatesOf({ kinds }: Resources) {
  return kinds.map(({ name, title, path }) => ({
    name,
    title,
    uriTemplate: `${SCHEME}{uid}/${path}`,
    mimeType: MIME_TYPE,
  }));
}

/** The resources without further parameters, for each game that the agent has access to. */
export async function listResources(ctx: Context, caller: AccountCaller, { kinds, performListGames }: Resources) {
  const { data } = await performListGames(ctx, caller, { params: {}, query: {}, body: {} });
  const { games } = data as OutputOf<typeof contract.listGames>;
  const plain = kinds.filter(({ path }) => !path.includes('{'));
  return games.slice(0, MAX_GAMES).flatMap(({ game_uid, slug }) =>
    plain.map(({ name, title, path }) => ({
      name: `${slug}/${name}`,
      title,
      uri: `${SCHEME}${game_uid}/${path}`,
      mimeType: MIME_TYPE,
    })),
  );
}

/** Throws ProtocolError, the only kind of error that resources can have. */
export async function readResource(ctx: Context, caller: AccountCaller, { kinds }: Resources, uri: string) {
  const match = kinds.flatMap((kind) => {
    const groups = kind.pattern.exec(uri)?.groups;
    return groups === undefined ? [] : [{ kind, params: { ...groups } }];
  })[0];
  if (match === undefined) throw new ResourceNotFoundError(uri);
  const { kind, params } = match;
  const about = { name: `resource:${kind.name}`, game: params.uid };
  const { error, result } = await attempt(ctx, caller, about, async () => {
    const { data } = await kind.perform(ctx, caller, partsOf(kind.operationOf, params));
    return textOf(fit(data as object, kind.operationOf.output as Schema), kind.readOn);
  });
  if (error !== null) throw protocolErrorOf(error, uri);
  return { contents: [{ uri, mimeType: MIME_TYPE, text: result }] };
}

function protocolErrorOf(error: ApiError, uri: string): Error {
  if (error.status === 404) return new ResourceNotFoundError(uri);
  const code = error.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, `Error ${error.code}: ${error.message}`, { code: error.code, ...error.data });
}
