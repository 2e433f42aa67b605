// Bundles the `chauffeur` command with everything it needs into a single file that Node 22 and newer can run.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const ENTRY = join(import.meta.dirname, '../../packages/cli/src/main.ts');

/**
 * Writes the bundle to `file` and returns the paths of the modules in it. It is a CommonJS module, as the single
 * executables need. The code of a command runs only when it is called.
 */
export async function bundleCommand(file: string): Promise<string[]> {
  const bundle = await rolldown({ input: ENTRY, platform: 'node', transform: { target: 'node22' } });
  try {
    const { output } = await bundle.write({ file, format: 'cjs', codeSplitting: false, minify: true });
    return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  } finally {
    await bundle.close();
  }
}
