// The commits between a build and an earlier one, from GitHub or GitLab.
import { formatPlatform } from '@chauffeur/contract/format';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listCommits } from '@chauffeur/contract/operations/source';
import { Anchor, Code, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { formatItems } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import type { BuildDetail } from './BuildFile.tsx';

const MAX_BUILDS = 100;
const SHORT = 8;

/** The commits since a build that the visitor chooses. The host is asked only then. */
export function BuildCommits({ gameUid, build }: { gameUid: string; build: BuildDetail }) {
  const [since, setSince] = useState('');
  const { data } = useQuery(ask(listGameBuilds, { uid: gameUid, page_size: MAX_BUILDS }));
  const others = (data?.builds ?? []).filter(
    ({ build_id: id, commit }) => id !== build.build_id && commit !== null && commit !== build.commit,
  );
  if (build.commit === null)
    return (
      <Text size="sm">The commit of this build is unknown. Register builds in a Git repository to record it.</Text>
    );
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Commits since"
        size="xs"
        maw={320}
        value={since}
        data={[
          { value: '', label: others.length === 0 ? 'No other build has a commit' : 'Choose a build' },
          ...others.map((other) => ({
            value: other.build_id,
            label: `${other.version} for ${formatPlatform(other)} (${other.commit?.slice(0, SHORT)})`,
          })),
        ]}
        onChange={({ currentTarget }) => setSince(currentTarget.value)}
      />
      {since !== '' && <Commits gameUid={gameUid} buildId={build.build_id} since={since} />}
    </Stack>
  );
}

/** The commits of a build since another one. */
export function Commits({ gameUid, buildId, since }: { gameUid: string; buildId: string; since: string }) {
  const { data, error, refetch } = useQuery({
    ...ask(listCommits, { uid: gameUid, build_id: buildId, since }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={120} />;
  const { commits, more, url } = data;
  return (
    <>
      {commits.length === 0 && <Text size="sm">No commits since that build.</Text>}
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Commits">
        {commits.map((commit) => (
          <li key={commit.id}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {commit.url === null ? (
                <Code>{commit.id.slice(0, SHORT)}</Code>
              ) : (
                <Anchor href={commit.url} target="_blank" rel="noreferrer" size="sm">
                  <Code>{commit.id.slice(0, SHORT)}</Code>
                </Anchor>
              )}{' '}
              {commit.title}{' '}
              <Text span size="sm" c="dimmed">
                {commit.author}
                {commit.committed_at !== null && (
                  <>
                    {' · '}
                    <Time at={commit.committed_at} />
                  </>
                )}
              </Text>
            </Text>
          </li>
        ))}
      </Stack>
      {more > 0 && <Text size="sm" c="dimmed">{`And ${formatItems(more, 'older commit')}.`}</Text>}
      {url !== null && (
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          Open the comparison
        </Anchor>
      )}
    </>
  );
}
