// The type of an operation. The server mounts operations, the client calls them, the API reference lists them, and MCP
// offers some as tools.
import type { Static, TSchema } from 'typebox';
import { CODES, type ErrorCode, type ErrorName } from './errors.ts';
import { formatWhoMay, type Role, type RoleScope } from './roles.ts';
import type { Tag } from './tags.ts';
import { TOKEN_AREA_OF, type TokenScope } from './token-scopes.ts';

/**
 * Who can call it. `public`: anyone, and a session or deploy key can give access to more. `account`: signed-in users.
 * `deploy_key`: clients with a game's deploy key or upload token, or with a login of the `chauffeur` command for the
 * game. A person's API token is accepted as well where its scopes allow. `operator`: signed-in operators.
 */
export type Access = 'public' | 'account' | 'deploy_key' | 'operator';

/** What an upload token can do. A deploy key and a login of the command can do all of it. */
export const UPLOAD_SCOPES = ['builds', 'symbols', 'media', 'channels'] as const;
export type UploadScope = (typeof UPLOAD_SCOPES)[number];

/** The encoding of the body. `bytes` accepts any bytes, even if their content type is JSON or a form. */
export type BodyKind = 'json' | 'multipart' | 'urlencoded' | 'bytes';

/** A successful response without the envelope, in addition to the usual one, for clients that expect another format. */
type PlainAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly schema: TSchema;
  /** Which clients get this response. */
  readonly description: string;
};

export type Operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Output extends TSchema = TSchema,
  By extends Access = Access,
> = {
  /** Tag and name, such as `builds.register`. */
  readonly id: `${Tag}.${string}`;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path under `/api/v1`, with `{name}` for parameters. */
  readonly path: `/${string}`;
  /** `upload` operations can be served by another host than the rest of the API (`SERVICE_UPLOAD_URL`). */
  readonly host?: 'upload';
  readonly access: By;
  /**
   * What an upload token needs for it; `any` token will do for reading the basics. Every operation for deploy keys has
   * one.
   */
  readonly uploadScope?: UploadScope | 'any';
  /**
   * What an API token needs for it, `none` if it can't be called with one. By default, the group and the method decide
   * (`tokenScopeOf`).
   */
  readonly tokenScope?: TokenScope | 'none';
  /**
   * The role that a person needs on the game or in the organisation that the call names. Also applies to agents and
   * logins of the `chauffeur` command, which act for a person, but not to deploy keys.
   */
  readonly role?: Role;
  readonly params?: Params;
  readonly query?: Query;
  /**
   * Request headers, in addition to the headers for the access and the statuses. They are described here and checked by
   * the feature.
   */
  readonly headers?: TSchema;
  /** Query parameters for clients that cannot set headers. They are described here and checked by the feature. */
  readonly headerQuery?: TSchema;
  readonly bodyKind?: BodyKind;
  /** Pages of any origin can call it, as web builds of games do. It ignores cookies. */
  readonly crossOrigin?: true;
  readonly body?: Body;
  /** Other accepted content types of the body, with their schemas. */
  readonly otherBodies?: Readonly<Record<string, TSchema>>;
  /** Largest JSON body in bytes; 1 MiB by default. */
  readonly bodyLimit?: number;
  readonly output?: Output;
  /** Content types of a response that consists of bytes without an envelope. The operation then has no `output`. */
  readonly answerTypes?: readonly [string, ...string[]];
  /** The bytes have a file name to save them under, as those of operations with ranges always have. */
  readonly named?: true;
  readonly plainAnswers?: readonly PlainAnswer[];
  /**
   * The response contains a key, a token, or a URL with a token. It is sent with `Cache-Control: no-store`, so that
   * browsers and proxies do not keep a copy (RFC 9111, section 5.2.2.5).
   */
  readonly secret?: true;
  /** Serves images or ranges of videos, of which each page loads many, so calls do not count against the read limit. */
  readonly asset?: true;
  /** HTTP statuses of success; the first is the default. */
  readonly statuses: readonly [number, ...number[]];
  /** The error for a malformed request; `invalid` by default. */
  readonly invalid?: ErrorName;
  /** Errors specific to the operation. `errorsOf` adds those of its access and of all operations. */
  readonly errors: readonly ErrorName[];
  /** A valid JSON or form body, and the `data` of a typical response. Both must match their schemas. */
  readonly example?: { readonly body?: unknown; readonly answer?: unknown };
  /**
   * Whether successful calls are in the audit log; `changes`: only calls with changes to record. By default,
   * changes by everyone who has identified themselves are. Public operations that aren't reads say so themselves.
   */
  readonly audit?: boolean | 'changes';
  /** Set when the MCP server offers the operation as a tool. */
  readonly mcp?: McpMark;
};

type McpScope = 'mcp:read' | 'mcp:write';

export type McpMark = {
  readonly tool: string;
  /** When an agent should call the tool, in one or two sentences. They are part of its description. */
  readonly when: string;
  readonly scope: McpScope;
  /** Whether it deletes or replaces something; by default, whether the method is DELETE. */
  readonly destructive?: boolean;
  /** Whether repeating a call has no further effect; by default, whether the method is not POST. */
  readonly idempotent?: boolean;
  /** Parameters that the tool does not have because only other clients need them. */
  readonly without?: readonly string[];
  /** How to get the rest of a result that was cut to the maximum length. */
  readonly more?: string;
};

/** Keeps the literal types of an operation, so that its input and output types can be inferred from its schemas. */
export function defineOperation<
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  O extends TSchema,
  A extends Access,
>(operation: Operation<P, Q, B, O, A>): Operation<P, Q, B, O, A> {
  return operation;
}

type Fields<S> = S extends TSchema ? (TSchema extends S ? unknown : Static<S>) : unknown;

/** The fields of path, query and body in one object. */
export type InputOf<Op> =
  Op extends Operation<infer P, infer Q, infer B, infer _O, infer _A> ? Fields<P> & Fields<Q> & Fields<B> : never;
/** The fields of path and query in one object. */
export type AddressOf<Op> =
  Op extends Operation<infer P, infer Q, infer _B, infer _O, infer _A> ? Fields<P> & Fields<Q> : never;
/** The `data` of a successful response. */
export type OutputOf<Op> = Op extends Operation<infer _P, infer _Q, infer _B, infer O, infer _A> ? Static<O> : never;

const API_TOKEN_ERRORS = [
  'unknownApiToken',
  'revokedApiToken',
  'expiredApiToken',
  'gameNotInToken',
] as const satisfies readonly ErrorName[];

const ACCESS_ERRORS: Record<Access, readonly ErrorName[]> = {
  // A deploy key is optional here, but an invalid one is an error.
  // `strongerSignInNeeded` only for drafts of an organisation that requires how people sign in.
  public: [
    'accountDisabled',
    'missingSecretKey',
    'unknownAccessToken',
    'revokedKey',
    'wrongSecretKey',
    'missingScope',
    ...API_TOKEN_ERRORS,
    'strongerSignInNeeded',
  ],
  account: [
    'notSignedIn',
    'notAllowed',
    'crossSite',
    'strongerSignInNeeded',
    ...API_TOKEN_ERRORS,
    'missingScope',
    'notForTokens',
  ],
  // `incompatibleCommand` only for the command. From `unknownCliLogin` on, only for its logins.
  deploy_key: [
    'accountDisabled',
    'missingAccessToken',
    'missingSecretKey',
    'unknownAccessToken',
    'revokedKey',
    'wrongSecretKey',
    'needsDeployKey',
    'missingScope',
    'incompatibleCommand',
    'unknownCliLogin',
    ...API_TOKEN_ERRORS,
    'ambiguousGame',
    'notAllowed',
    'strongerSignInNeeded',
    'notFound',
  ],
  operator: ['notSignedIn', 'crossSite', 'operatorsOnly', ...API_TOKEN_ERRORS, 'notForTokens'],
};

/** `invalid` is included because the HTTP parser also uses it, before the request reaches an operation. */
const SHARED_ERRORS: readonly ErrorName[] = ['invalid', 'unexpected', 'unavailable', 'storageFull'];

/** Whether calls count against the number of reads per minute that are allowed for an IP address. */
export function isLimitedRead({ access, method, asset }: Operation): boolean {
  return access === 'public' && method === 'GET' && asset !== true;
}

/** Whether calls are in the audit log. */
export function auditOf({ access, method, audit }: Operation): boolean | 'changes' {
  return audit ?? (method !== 'GET' && access !== 'public');
}

/** The scope that a token needs for the operation; null if it can't be called with a token. */
export function tokenScopeOf(operation: Operation): TokenScope | null {
  const { id, access, method, tokenScope } = operation;
  if (tokenScope !== undefined) return tokenScope === 'none' ? null : tokenScope;
  const area = TOKEN_AREA_OF[id.split('.')[0] as Tag];
  // Anyone can call public operations. A few show a member more, and name their scope.
  if (area === null || access === 'operator' || access === 'public') return null;
  return `${area}:${method === 'GET' ? 'read' : 'write'}`;
}

/** All error codes of the operation, in ascending order. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { access, errors, invalid = 'invalid' } = operation;
  const limits: ErrorName[] = isLimitedRead(operation) ? ['limitReached'] : [];
  const names = new Set<ErrorName>([...ACCESS_ERRORS[access], ...errors, ...SHARED_ERRORS, ...limits, invalid]);
  return [...names].map((name) => CODES[name]).sort((a, b) => a - b);
}

/** What the operation's role is about. */
export function roleScopeOf({ path }: Operation): RoleScope {
  return path.startsWith('/organisations/') ? 'organisation' : 'game';
}

/** Which role a person needs, as a sentence; undefined if any will do. */
export function describeRole(operation: Operation): string | undefined {
  const { access, role } = operation;
  if (role === undefined) return undefined;
  if (role === 'viewer')
    return `Needs a role ${roleScopeOf(operation) === 'organisation' ? 'in the organisation' : 'on the game'}.`;
  const who = formatWhoMay(role, roleScopeOf(operation));
  return access === 'deploy_key' ? `With a login of the command, only for ${who}.` : `Only for ${who}.`;
}

/** The path with percent-encoded parameters. */
export function pathOf(operation: Operation, params: Record<string, string>): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
