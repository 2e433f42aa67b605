// A player tells the developers of a bug, with a dump and a log where they have them.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { gameQuery } from '../store/store-queries.ts';
import { BugFiled, type Filed } from './BugFiled.tsx';
import { BugForm } from './BugForm.tsx';

const route = getRouteApi('/signed-in/g/$uid/report');

export function ReportBugPage() {
  const { uid } = route.useParams();
  const { data: game, error, refetch } = useQuery(gameQuery(uid));
  useTitle(game === undefined ? undefined : `Report a bug of ${game.name}`);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  return (
    <Stack gap="md" maw={640}>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {game === undefined ? error === null && <Skeleton h={360} /> : <Report game={game} />}
    </Stack>
  );
}

function Report({ game }: { game: OutputOf<typeof getPublicGame> }) {
  const [filed, setFiled] = useState<Filed | null>(null);
  return (
    <>
      <SiteLink to="/g/$uid" params={{ uid: game.slug }} size="sm">
        {game.name}
      </SiteLink>
      <Title order={1} size="h2">
        Report a bug
      </Title>
      {filed === null ? (
        <>
          <Text>{game.developer} reads what you write, and who wrote it.</Text>
          <BugForm game={game} onFiled={setFiled} />
        </>
      ) : (
        <BugFiled filed={filed} slug={game.slug} />
      )}
    </>
  );
}
