// The page on which a player reports a bug to the developer, with an optional crash dump and log.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { Anchor, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { session } from '../../session.ts';
import { rich, t } from '../../texts.tsx';
import { Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { gameQuery } from '../play/game-query.ts';
import { BugFiled, type Filed } from './BugFiled.tsx';
import { BugForm } from './BugForm.tsx';

const route = getRouteApi('/g/$uid/report');

export function ReportBugPage() {
  const { uid } = route.useParams();
  const { data: game, error, refetch } = useQuery(gameQuery(uid));
  useTitle(game === undefined ? undefined : t('bug.title', { game: game.name }));
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  return (
    <Panel>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {game === undefined ? error === null && <Skeleton h={360} /> : <Report game={game} />}
    </Panel>
  );
}

function Report({ game }: { game: OutputOf<typeof getPublicGame> }) {
  const [filed, setFiled] = useState<Filed | null>(null);
  const { data: person, isPending } = useQuery(session);
  const isGuest = person == null;
  return (
    <>
      <div>
        <Anchor href={`/g/${game.slug}`} size="sm">
          {game.name}
        </Anchor>
        <Title order={1} size="h2">
          {t('bug.heading')}
        </Title>
      </div>
      {filed !== null && <BugFiled filed={filed} slug={game.slug} />}
      {filed === null && isPending && <Skeleton h={360} />}
      {filed === null && !isPending && (
        <>
          {isGuest && <SignInHint game={game} />}
          {(!isGuest || game.guest_bugs) && (
            <>
              <Text size="sm">{t('bug.text')}</Text>
              <BugForm game={game} isGuest={isGuest} onFiled={setFiled} />
            </>
          )}
        </>
      )}
    </>
  );
}

function SignInHint({ game: { slug, guest_bugs: isOptional } }: { game: OutputOf<typeof getPublicGame> }) {
  const link = (content: ReactNode) => (
    <SiteLink to="/sign-in" search={{ next: `/g/${slug}/report` }}>
      {content}
    </SiteLink>
  );
  return isOptional ? (
    <Text size="sm">{rich('bug.signIn.offered', { link })}</Text>
  ) : (
    <Text>{rich('bug.signIn.needed', { link })}</Text>
  );
}
