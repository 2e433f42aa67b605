// Runs a program that prints nothing of interest unless it fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a program to its end and resolves to its stdout. Rejects with its stderr if it fails. */
export async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed with ${code}:\n${stderr || stdout}`);
  return stdout;
}
