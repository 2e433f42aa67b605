// The command that uploads the symbols of a build. Pages of crashes load it when symbols are missing.
import { ChauffeurCommand, gameOption } from './ChauffeurCommand.tsx';
import { CopyText } from './CopyText.tsx';

/** Uploads what is in the folder `symbols`. The same in all shells. */
export function SymbolsCommand({ slug, buildId }: { slug: string; buildId: string }) {
  const words = ['chauffeur symbols --build-id', buildId, 'symbols', ...gameOption(slug)];
  return (
    <ChauffeurCommand>
      <CopyText text={words.join(' ')} label="command that uploads symbols" block />
    </ChauffeurCommand>
  );
}
