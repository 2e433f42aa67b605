// Creates DSNs for tests.
import { createDsnFor, dsnOf } from '../../src/crash/sentry/dsns/dsns.ts';
import type { TestGame, TestServer } from './server.ts';

export type TestDsn = {
  readonly dsn: string;
  readonly dsnId: string;
  readonly projectNo: number;
  readonly key: string;
};

/** Creates a DSN of the game. Its address is the public one of the server. */
export async function makeDsn(
  { ctx }: Pick<TestServer, 'ctx'>,
  { uid }: Pick<TestGame, 'uid'>,
  name = 'default',
): Promise<TestDsn> {
  const created = await createDsnFor(ctx, uid, { name, by: 'test' });
  return { dsn: dsnOf(ctx, created), dsnId: created.dsn_id, projectNo: created.project_no, key: created.key };
}
