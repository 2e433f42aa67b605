import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { isDatabaseAway, isWorkerAway } from './db.ts';

function databaseError(code: string, message: string): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
}

test('errors of a database or a worker that cannot be reached are recognized, and no others', () => {
  const away = [
    databaseError('57P01', 'terminating connection due to administrator command'),
    databaseError('53300', 'sorry, too many clients already'),
    databaseError('08006', 'connection to the remote node chauffeur@db1.example:5432 failed'),
    databaseError('XX000', 'could not commit transaction for shard 102015 on at least one active node'),
    databaseError('XX000', 'failure on connection marked as essential: db1.example:5432'),
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
  ];
  for (const error of away) assert.equal(isDatabaseAway(error), true, error.message);
  assert.deepEqual(away.map(isWorkerAway), [false, false, true, false, true, false, false]);
  const wrong = [
    databaseError('53100', 'could not extend file: No space left on device'),
    databaseError('XX000', 'cache lookup failed for relation 1'),
    databaseError('23505', 'duplicate key value violates unique constraint "games_pkey"'),
    Object.assign(new Error("ENOENT: no such file or directory, open 'x'"), { code: 'ENOENT', syscall: 'open' }),
    'ECONNREFUSED',
  ];
  for (const error of wrong) assert.equal(isDatabaseAway(error), false, String(error));
});
