// The replies to a bug ticket, and the form that sends another one by email.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBugTicket, replyToBug } from '@chauffeur/contract/operations/bugs';
import { Button, Checkbox, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { formatItems } from '../../ui/format.ts';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { UnsentText } from '../../ui/UnsavedWarning.tsx';
import classes from './BugsPage.module.css';
import type { Ticket } from './bug-status.ts';

export function BugReplies({ bug, gameUid }: { bug: Ticket; gameUid: string }) {
  return (
    <Stack gap="sm" component="section" aria-label="Replies">
      <Title order={3} size="h5">
        Replies
      </Title>
      {bug.replies.map(({ reply_uid, name, agent, message, sent_at }) => (
        <div key={reply_uid} className={classes.reply}>
          <Text size="sm" c="dimmed">
            {agent === null ? name : `${name}, with ${agent}`} · <Time at={sent_at} />
          </Text>
          <pre className={classes.text}>{message}</pre>
        </div>
      ))}
      {bug.can_reply || bug.duplicates.length > 0 ? (
        <Permitted operation={replyToBug} to="reply">
          <ReplyForm bug={bug} gameUid={gameUid} />
        </Permitted>
      ) : (
        <Text size="sm">The player did not leave an address for replies.</Text>
      )}
    </Stack>
  );
}

function ReplyForm({ bug, gameUid }: { bug: Ticket; gameUid: string }) {
  const queries = useQueryClient();
  const [message, setMessage] = useState('');
  const [toDuplicates, setToDuplicates] = useState(!bug.can_reply);
  const reply = useMutation({
    mutationFn: () =>
      call(replyToBug, { uid: gameUid, bug_uid: bug.bug_uid, message: message.trim(), to_duplicates: toDuplicates }),
    onSuccess: async () => {
      await queries.invalidateQueries({
        queryKey: ask(getBugTicket, { uid: gameUid, bug_uid: bug.bug_uid }).queryKey,
      });
      setMessage('');
    },
  });
  return (
    <form
      aria-label="New reply"
      onSubmit={(event) => {
        event.preventDefault();
        reply.mutate();
      }}
    >
      <Stack gap="sm">
        <Textarea
          data-field="message"
          label="Reply"
          description={
            bug.gets_mail
              ? "The player gets your name and this text by email, but doesn't see your address."
              : "The player hasn't confirmed their email address. They can see your name and this text on their ticket's page."
          }
          autosize
          minRows={3}
          maxLength={LIMITS.bugMessageLength}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {bug.duplicates.length > 0 && (
          <Checkbox
            label={`Also to the players who filed ${formatItems(bug.duplicates.length, 'duplicate')}`}
            checked={toDuplicates}
            disabled={!bug.can_reply}
            onChange={(event) => setToDuplicates(event.currentTarget.checked)}
          />
        )}
        {reply.error !== null && <Problem error={reply.error} />}
        <Button type="submit" w="fit-content" loading={reply.isPending} disabled={message.trim() === ''}>
          Send reply
        </Button>
        <div role="status">{reply.isSuccess && <Text size="sm">{describeReply(reply.data)}</Text>}</div>
      </Stack>
      <UnsentText text={message} name="reply" />
    </form>
  );
}

/** Who got the reply by email, and who has to look for it. */
function describeReply({ mails, unconfirmed, limited }: OutputOf<typeof replyToBug>): string {
  return [
    mails === 0 ? 'Reply saved.' : `Reply sent to ${formatItems(mails, 'player')} by email.`,
    ...(unconfirmed === 0
      ? []
      : [
          `${formatItems(unconfirmed, 'player')} without a confirmed email address can read it on their ticket's page.`,
        ]),
    ...(limited === 0
      ? []
      : [`${formatItems(limited, 'player')} got too many emails from this game recently, and can read it there.`]),
  ].join(' ');
}
