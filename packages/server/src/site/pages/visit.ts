// The request for a public page, and the page that is made for it. Pages call operations in the process, with the
// rights of the visitor.
import type { IncomingHttpHeaders } from 'node:http';
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import type { Caller, Context } from '../../context.ts';
import type { Route } from '../../request/route.ts';
import type { PageHead } from '../page-head.ts';
import type { Texts } from '../texts.ts';
import type { Html } from './html.ts';

/** A request for a public page. */
export type Visit = {
  readonly ctx: Context;
  readonly ask: Ask;
  readonly caller: Caller;
  /** The decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query. One that is sent twice, or is empty, is left out. */
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** The texts in the visitor's language. */
  readonly texts: Texts;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
};

/** A page without its frame. */
export type PublicPage = {
  readonly status: 200 | 404;
  readonly head: PageHead;
  readonly main: Html;
  /** What the search field of the header contains; null if the page has its own search. */
  readonly search?: string | null;
  /** Never kept by shared caches, such as a page behind a link of an email. */
  readonly isPrivate?: true;
  /** The origins of what the page may frame. */
  readonly frames?: readonly string[];
  /** Whether it plays videos of this site. */
  readonly playsVideos?: boolean;
  /** Whether it depends on the visitor's machine. */
  readonly variesByMachine?: boolean;
};

/**
 * Writes one public page. Throws `notFound` if there is nothing to show, and `invalid` for parameters that can't be
 * right.
 */
export type WritePage = (visit: Visit) => Promise<PublicPage>;

/** Does what the form of a page is for, and returns the path of the page to show next. */
export type SubmitForm = (visit: Visit, fields: Readonly<Record<string, string>>) => Promise<string>;

/** Performs an operation. Throws what it would respond with. Limits by address are counted by requests only. */
export type Ask = <Op extends Operation>(operation: Op, caller: Caller, input: InputOf<Op>) => Promise<OutputOf<Op>>;

export function askOf(ctx: Context, routes: readonly Route[]): Ask {
  const performers = new Map(routes.map(({ operation, perform }) => [operation.id, perform]));
  return async (operation, caller, input) => {
    const perform = performers.get(operation.id);
    if (perform === undefined) throw new Error(`${operation.id} can't be performed without a request`);
    const fields = Object.entries(input as object);
    const fieldsOf = (schema: unknown) => {
      const { properties = {} } = (schema ?? {}) as { properties?: object };
      return Object.fromEntries(fields.filter(([name]) => name in properties));
    };
    const { params, query, body } = operation;
    const { data } = await perform(ctx, caller, {
      params: fieldsOf(params),
      query: fieldsOf(query),
      body: fieldsOf(body),
    });
    return data as OutputOf<typeof operation>;
  };
}
