// The page behind an invitation link: the game, the role and its effects, and buttons to accept or decline.
import { ApiError, CODES } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGames } from '@chauffeur/contract/operations/games';
import { acceptInvitation, declineInvitation, getInvitation } from '@chauffeur/contract/operations/invitations';
import { ROLE_SUMMARIES, ROLES } from '@chauffeur/contract/roles';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask, call } from '../../api.ts';
import { session } from '../../session.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Consequences, Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';

type Invitation = OutputOf<typeof getInvitation>;

const route = getRouteApi('/signed-in/invitations/$token');

export function InvitationPage() {
  const { token } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(ask(getInvitation, { token }));
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <Panel gap="lg">
      {data === undefined && <PageHead title="Invitation" />}
      {isUnknown && (
        <>
          <Text>{error.message}</Text>
          <SiteLink to="/dev">Your games</SiteLink>
        </>
      )}
      {error !== null && !isUnknown && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={240} />}
      {data !== undefined && <InvitationDetails token={token} invitation={data} />}
    </Panel>
  );
}

const EFFECTS: Readonly<Partial<Record<Invitation['role'], readonly string[]>>> = {
  admin: [
    'You can upload and promote builds, and edit the store page.',
    'You can read crash reports, events and bug tickets.',
    'The other developers of the game see your name and email address.',
  ],
  owner: [
    'You get the game with its builds, players, admins, crash reports and settings.',
    'The current owner becomes an admin. You can remove them.',
    'The deploy key and the symbol server URL are revoked. Create a new key before the next upload.',
    'Agents ask you for approval by email.',
  ],
};

/** Says what the person will be able to do, and who will see them. */
function effectsOf({ role, organisation }: Invitation): readonly string[] {
  const own = organisation === null ? EFFECTS[role] : undefined;
  return (
    own ?? [
      ROLE_SUMMARIES[role],
      `The other members of the ${nounOf({ organisation })} see your name and email address.`,
    ]
  );
}

function nounOf({ organisation }: Pick<Invitation, 'organisation'>): string {
  return organisation === null ? 'game' : 'organisation';
}

function nameOf({ game, organisation }: Invitation): string {
  return (game ?? organisation)?.name ?? '';
}

function InvitationDetails({ token, invitation }: { token: string; invitation: Invitation }) {
  const { organisation, role } = invitation;
  const name = nameOf(invitation);
  const isTransfer = role === 'owner' && organisation === null;
  const title = isTransfer ? `Become the owner of ${name}` : `Join ${name}`;
  return (
    <>
      <PageHead title={title} tabTitle={`Invitation · ${name}`} />
      <Facts
        facts={[
          [organisation === null ? 'Game' : 'Organisation', name],
          ['Your role', ROLES[role].label],
          ['Invited by', invitation.invited_by],
          ['Sent to', invitation.email],
          ...(invitation.status === 'pending'
            ? [['Expires', <Time key="expires" at={invitation.expires_at} />] as const]
            : []),
        ]}
      />
      {invitation.status === 'pending' ? (
        <Decide token={token} invitation={invitation} />
      ) : (
        <Outcome invitation={invitation} />
      )}
    </>
  );
}

function Decide({ token, invitation }: { token: string; invitation: Invitation }) {
  const { problem } = invitation;
  const queries = useQueryClient();
  const deciding = useMutation({
    mutationFn: (accept: boolean) => call(accept ? acceptInvitation : declineInvitation, { token }),
    onSuccess: async (decided) => {
      queries.setQueryData(ask(getInvitation, { token }).queryKey, decided);
      await queries.invalidateQueries({ queryKey: [listGames.id] });
    },
  });
  const isForOther = problem?.code === CODES.otherRecipient;
  return (
    <Stack gap="md">
      <Consequences lines={effectsOf(invitation)} />
      {problem !== null && <Obstacle code={problem.code} message={problem.message} />}
      {deciding.error !== null && <Problem error={deciding.error} />}
      <Group gap="sm">
        <Button
          disabled={problem !== null}
          loading={deciding.isPending && deciding.variables === true}
          onClick={() => deciding.mutate(true)}
        >
          Accept
        </Button>
        <Button
          variant="default"
          disabled={isForOther}
          loading={deciding.isPending && deciding.variables === false}
          onClick={() => deciding.mutate(false)}
        >
          Decline
        </Button>
      </Group>
    </Stack>
  );
}

function Obstacle({ code, message }: { code: number; message: string }) {
  const { data: person } = useQuery(session);
  return (
    <Notice tone="unsure" title={message}>
      <Text size="sm">
        {code === CODES.emailNotVerified
          ? `Open the link in the verification email we sent to ${person?.email ?? 'you'}, then reload this page.`
          : 'Sign in with the account of that address, or ask for a new invitation to your own address.'}
      </Text>
    </Notice>
  );
}

const ENDED: Readonly<Record<Exclude<Invitation['status'], 'pending' | 'accepted'>, string>> = {
  declined: 'You declined this invitation',
  withdrawn: 'This invitation was withdrawn',
  expired: 'This invitation has expired',
};

function Outcome({ invitation }: { invitation: Invitation }) {
  const { status, role, game, organisation } = invitation;
  const name = nameOf(invitation);
  const article = ['admin', 'owner'].includes(role) ? 'an' : 'a';
  const isOwner = role === 'owner' && organisation === null;
  return (
    <div role="status">
      {status === 'accepted' || status === 'pending' ? (
        <Notice tone="good" title={isOwner ? `You now own ${name}` : `You're now ${article} ${role} of ${name}`}>
          {game !== null && (
            <SiteLink to="/dev/$slug" params={{ slug: game.slug }} size="sm">
              Open game
            </SiteLink>
          )}
          {organisation !== null && (
            <SiteLink
              to="/org/$organisation"
              params={{ organisation: organisation.slug ?? organisation.organisation_uid }}
              size="sm"
            >
              Open organisation
            </SiteLink>
          )}
        </Notice>
      ) : (
        <Notice tone="none" title={ENDED[status]}>
          <Text size="sm">Ask the {organisation === null ? "game's owner" : 'person who sent it'} for a new one.</Text>
        </Notice>
      )}
    </div>
  );
}
