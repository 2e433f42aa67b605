// Explains for each module of a report why its symbols are missing, from the symbols available now.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrash } from '@chauffeur/contract/operations/crash-reports';
import type { Context } from '../../../context.ts';
import { findSymbols, type SymbolAnswer } from '../../symbols/symbols.ts';

type MissingModule = OutputOf<typeof getCrash>['missing_symbols'][number];

/**
 * `missing` has modules in the form of `formatModule`. Modules whose symbols have arrived since are left out, because the
 * report is already being processed again.
 */
export async function explainMissing(
  ctx: Context,
  gameId: string,
  buildId: string,
  missing: readonly string[],
): Promise<MissingModule[]> {
  const modules = missing.map(readModule);
  const answers = await findSymbols(ctx, gameId, buildId, modules);
  return modules.flatMap(({ debugFile, debugId }, index) => {
    const why = explain(answers[index]!);
    return why === null ? [] : [{ module: debugFile, debug_id: debugId, ...why }];
  });
}

/** A filename may contain a slash; an id does not. It is a debug id, or the code id of a module without one. */
function readModule(text: string): { debugFile: string; debugId: string; codeId: string } {
  const slash = text.lastIndexOf('/');
  const id = text.slice(slash + 1);
  return { debugFile: text.slice(0, slash), debugId: id, codeId: id };
}

function explain(answer: SymbolAnswer): Pick<MissingModule, 'why' | 'detail'> | null {
  if (answer.state === 'unreadable')
    return { why: 'unreadable', detail: `The uploaded symbols cannot be read: ${answer.problem}` };
  if (answer.state !== 'missing') return null;
  if (answer.why === 'never_uploaded')
    return {
      why: 'never_uploaded',
      detail: 'No symbols of this file were uploaded. Run `chauffeur symbols` on the build.',
    };
  return {
    why: 'wrong_debug_id',
    detail: `Symbols of this file were uploaded for ${answer.uploadedDebugId}, which is another build of it. Upload the symbols of this build.`,
  };
}
