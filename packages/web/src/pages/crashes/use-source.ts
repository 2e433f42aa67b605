// Links from the frames of a stack to the source code of the game.
import type { StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import { getSourceSettings } from '@chauffeur/contract/operations/source';
import { makeSourceLink } from '@chauffeur/contract/source-link';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';

/** The address of the source code of a frame; null if there is none. */
export type LinkOf = (frame: StackFrame) => string | null;

/** For reports of a build that was built from this commit. */
export function useSource(gameUid: string, commit: string | null): LinkOf {
  const { data } = useQuery(ask(getSourceSettings, { uid: gameUid }));
  return ({ file, line }) => {
    if (data === undefined || data.url_template === null || file === null) return null;
    return makeSourceLink({ ...data, url_template: data.url_template }, { file, line }, commit);
  };
}
