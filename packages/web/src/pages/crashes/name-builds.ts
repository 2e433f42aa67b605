// Names the builds of a crash group. Builds for several platforms often have the same version.
import { formatPlatform } from '@chauffeur/contract/format';

type Build = { readonly version: string; readonly os: string; readonly arch: string };

/** The version of each, with the platform where others have the same one. */
export function nameBuilds(builds: readonly Build[]): string[] {
  return builds.map((build) => {
    if (build.version === '') return 'deleted build';
    const isShared = builds.some((other) => other !== build && other.version === build.version);
    return isShared ? `${build.version} ${formatPlatform(build)}` : build.version;
  });
}
