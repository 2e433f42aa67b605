// The shape of an operation: what the server mounts, the client calls, the API reference prints and MCP may expose.
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { Tag } from './tags.ts';

/**
 * Who may call: `public` anyone (a session or deploy key widens what they see), `account` a signed-in person,
 * `deploy_key` a game by its key, `operator` a signed-in person who runs the service.
 */
export type Access = 'public' | 'account' | 'deploy_key' | 'operator';

/** How the body is encoded. `bytes` takes any bytes, even if their content type says JSON or a form. */
export type BodyKind = 'json' | 'multipart' | 'urlencoded' | 'bytes';

/** A successful answer without the envelope, next to the enveloped one: some clients expect another format. */
type PlainAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly schema: TSchema;
  /** Which clients get it. */
  readonly description: string;
};

export type Operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Output extends TSchema = TSchema,
  By extends Access = Access,
> = {
  /** Tag and name, `builds.register`. */
  readonly id: `${Tag}.${string}`;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with `{name}` for parameters. */
  readonly path: `/${string}`;
  /** `upload` operations may live on another host than the API (`SERVICE_UPLOAD_URL`). */
  readonly host?: 'upload';
  readonly access: By;
  readonly params?: Params;
  readonly query?: Query;
  /**
   * Request headers, in addition to those that follow from the access and the statuses. They are described here and checked by
   * the feature.
   */
  readonly headers?: TSchema;
  /** Query parameters for clients that cannot set headers. They are described here and checked by the feature. */
  readonly headerQuery?: TSchema;
  readonly bodyKind?: BodyKind;
  /** Pages of any origin may call it (web builds of games): it looks at no cookie. */
  readonly crossOrigin?: true;
  readonly body?: Body;
  /** Other content types that the body may have, with the schema of each. */
  readonly otherBodies?: Readonly<Record<string, TSchema>>;
  /** Largest JSON body in bytes; 1 MiB where absent. */
  readonly bodyLimit?: number;
  readonly output?: Output;
  /** Content types of an answer that consists of bytes without an envelope; the operation then has no `output`. */
  readonly answerTypes?: readonly [string, ...string[]];
  readonly plainAnswers?: readonly PlainAnswer[];
  /**
   * The answer carries something that gives access: a key, a token, or an address with one in it. It is sent with `Cache-Control: no-store`, so
   * that no browser or proxy keeps a copy (RFC 9111, section 5.2.2.5).
   */
  readonly secret?: true;
  /** Serves an image of a page, many of which come with each page: the limit on reads does not count it. */
  readonly asset?: true;
  /** HTTP statuses of success; the first is the default. */
  readonly statuses: readonly [number, ...number[]];
  /** The code for a malformed request; 4002 by default. */
  readonly invalid?: ErrorCode;
  /** Codes of its own; `errorsOf` adds those of its access and those of every operation. */
  readonly errors: readonly ErrorCode[];
  /** A JSON or form body that works, and the `data` of a typical answer; each must match its schema. */
  readonly example?: { readonly body?: unknown; readonly answer?: unknown };
  /** Set when the MCP server offers the operation as a tool. */
  readonly mcp?: McpMark;
};

type McpScope = 'mcp:read' | 'mcp:write';

export type McpMark = {
  readonly tool: string;
  readonly scope: McpScope;
  /** Whether what it takes away or replaces is lost; where absent, what the method DELETE does. */
  readonly destructive?: boolean;
  /** Whether a second call changes nothing more; where absent, all but the method POST. */
  readonly idempotent?: boolean;
  /** Parameters that only other clients need. */
  readonly without?: readonly string[];
  /** For who got an answer that was cut to its allowed length: how to read the rest. */
  readonly more?: string;
};

/** Keeps the literal types of an operation, so that input and output types follow from its schemas. */
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

/** Everything a call takes, path, query and body together, as one object. */
export type InputOf<Op> =
  Op extends Operation<infer P, infer Q, infer B, infer _O, infer _A> ? Fields<P> & Fields<Q> & Fields<B> : never;
/** What a call takes in its path and query, as one object. */
export type AddressOf<Op> =
  Op extends Operation<infer P, infer Q, infer _B, infer _O, infer _A> ? Fields<P> & Fields<Q> : never;
/** The `data` of a successful answer. */
export type OutputOf<Op> = Op extends Operation<infer _P, infer _Q, infer _B, infer O, infer _A> ? Static<O> : never;

const ACCESS_ERRORS: Record<Access, readonly ErrorCode[]> = {
  // Nobody needs a key there, but who sends one widens what they see by it, and is told when it is wrong.
  public: [4021, 4022, 4023, 4024],
  account: [4011, 4031, 4032],
  deploy_key: [4020, 4021, 4022, 4023, 4024, 4025],
  operator: [4011, 4032, 4033],
};

/** 4002 is also the code for what the HTTP parser refuses, before any operation is found. */
const SHARED_ERRORS: readonly ErrorCode[] = [4002, 5000, 5030, 5070];

/** Whether calls count against the limit on what one address may read in a minute. */
export function isLimitedRead({ access, method, asset }: Operation): boolean {
  return access === 'public' && method === 'GET' && asset !== true;
}

/** Every error code of the operation, ascending. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { access, errors, invalid = 4002 } = operation;
  const limits: ErrorCode[] = isLimitedRead(operation) ? [4290] : [];
  const codes = new Set<ErrorCode>([...ACCESS_ERRORS[access], ...errors, ...SHARED_ERRORS, ...limits, invalid]);
  return [...codes].sort((a, b) => a - b);
}

/** The path with its parameters filled in, percent-encoded. */
export function pathOf(operation: Operation, params: Record<string, string>): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
