// `verify`: checks the blobs of all rows, and lists what is missing or damaged.
import { verifyBlobs } from '../features/backups/backups.ts';
import { withApp } from './with-app.ts';

/** Exits with code 1 if a blob is missing or damaged. Blobs without a row are only listed. */
export async function runVerify({ json }: { json: boolean }): Promise<void> {
  const print = (line: string) => void (json || process.stdout.write(`${line}\n`));
  const { blobs, problems, orphans } = await withApp({ quiet: true }, ({ ctx, pool }) =>
    verifyBlobs(ctx, pool, {
      problem: ({ key, problem, detail }) => print(`${problem} ${key}: ${detail}`),
      orphan: (key) => print(`note: no row refers to ${key}`),
    }),
  );
  if (json) process.stdout.write(`${JSON.stringify({ blobs, problems, orphans })}\n`);
  print(`blobs=${blobs}\nproblems=${problems.length}\norphans=${orphans}`);
  if (problems.length > 0) process.exitCode = 1;
}
