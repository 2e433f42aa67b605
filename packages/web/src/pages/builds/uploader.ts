// Who uploaded a file of a build.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameBuilds } from '@chauffeur/contract/operations/builds';

type Uploaded = Pick<NonNullable<OutputOf<typeof listGameBuilds>['builds'][number]['file']>, 'origin'> & {
  /** Only for members of the game. */
  readonly upload_token?: string | null;
};

/** For lists: the person, or the name of what a CI system used. */
export function nameUploader({ origin, upload_token: token }: Uploaded): string {
  return origin.type === 'deploy_key' ? (token ?? 'deploy key') : origin.user;
}

export function formatUploader(file: Uploaded): string {
  const { origin, upload_token: token } = file;
  if (origin.type === 'website') return origin.user;
  if (origin.type === 'cli_login') return `chauffeur command, by ${origin.user} (login ${origin.key_ref})`;
  return token == null ? `deploy key ${origin.key_ref}` : `upload token ${token} (${origin.key_ref})`;
}
