// What happened to a crash group, and the comments on it.
import { LIMITS } from '@chauffeur/contract/limits';
import {
  type Activity,
  addCrashGroupComment,
  deleteCrashGroupComment,
  listCrashGroupActivity,
  updateCrashGroupComment,
} from '@chauffeur/contract/operations/triage';
import { Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../api.ts';
import { session } from '../../session.ts';
import { usePages } from '../../ui/PagedTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { UnsavedChanges, UnsentText } from '../../ui/UnsavedWarning.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import { describeActivity } from './describe-activity.ts';

export function GroupActivity({ groupId }: { groupId: string }) {
  const game = useGame();
  const input = { uid: game.game_uid, group_id: groupId };
  const pages = usePages(listCrashGroupActivity, input, ({ activity }) => activity);
  return (
    <Section title="Activity">
      <Permitted operation={addCrashGroupComment} to="comment">
        <CommentForm groupId={groupId} />
      </Permitted>
      {pages.error !== null && <Problem error={pages.error} onRetry={pages.retry} />}
      {pages.isLoading && <Skeleton h={60} />}
      {pages.rows?.length === 0 && <Text size="sm">No activity yet.</Text>}
      <ol className={classes.activity} aria-label="Activity">
        {pages.rows?.map((entry) => (
          <li key={entry.activity_uid}>
            {entry.kind === 'comment' ? (
              <Comment entry={entry} groupId={groupId} />
            ) : (
              <Change entry={entry} slug={game.slug} />
            )}
          </li>
        ))}
      </ol>
      <ShowMore list={pages}>Show older activity</ShowMore>
    </Section>
  );
}

function Author({ entry, children }: { entry: Activity; children?: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="span">
      <Text size="sm" fw={600} component="span" c="var(--mantine-color-text)">
        {entry.name ?? 'Chauffeur'}
      </Text>
      {entry.agent !== null && ` with ${entry.agent}`}
      {children} · <Time at={entry.at} />
      {entry.edited_at !== null && ' · edited'}
    </Text>
  );
}

function Change({ entry, slug }: { entry: Activity; slug: string }) {
  const { sentences, links } = describeActivity(entry);
  return (
    <Author entry={entry}>
      {' '}
      {sentences.join(', ')}
      {links.map(({ group_id, title }, index) => (
        <span key={group_id}>
          {index > 0 && ', '}{' '}
          <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId: group_id }} size="sm">
            {title}
          </SiteLink>
        </span>
      ))}
    </Author>
  );
}

function Comment({ entry, groupId }: { entry: Activity; groupId: string }) {
  const { data: person } = useQuery(session);
  const game = useGame();
  const [isEditing, setEditing] = useState(false);
  const mayComment = useMay(updateCrashGroupComment);
  // Someone whose role was lowered may have comments that they can't change anymore.
  const isAuthor = mayComment && person?.id === entry.user_id;
  const isOwner = game.role === 'owner';
  const deleting = useCommentMutation(() =>
    call(deleteCrashGroupComment, { uid: game.game_uid, group_id: groupId, activity_uid: entry.activity_uid }),
  );
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Author entry={entry} />
        {isAuthor && !isEditing && (
          <Button size="compact-xs" variant="subtle" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
        {(isAuthor || isOwner) && !isEditing && (
          <Button size="compact-xs" variant="subtle" loading={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete
          </Button>
        )}
      </Group>
      {deleting.error !== null && <Problem error={deleting.error} onRetry={() => deleting.mutate()} />}
      {isEditing ? (
        <EditForm entry={entry} groupId={groupId} onClose={() => setEditing(false)} />
      ) : (
        <blockquote className={classes.comment}>{entry.comment}</blockquote>
      )}
    </Stack>
  );
}

function useCommentMutation<Input = void>(run: (input: Input) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => queries.invalidateQueries({ queryKey: [listCrashGroupActivity.id] }),
  });
}

function CommentForm({ groupId }: { groupId: string }) {
  const game = useGame();
  const [text, setText] = useState('');
  const adding = useCommentMutation(async (comment: string) => {
    await call(addCrashGroupComment, { uid: game.game_uid, group_id: groupId, comment });
    setText('');
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') adding.mutate(text.trim());
      }}
    >
      <Stack gap="xs" align="flex-start">
        <CommentField label="Comment" text={text} onType={setText} />
        {adding.error !== null && <Problem error={adding.error} onRetry={() => adding.mutate(text.trim())} />}
        <Button type="submit" size="xs" variant="default" disabled={text.trim() === ''} loading={adding.isPending}>
          Comment
        </Button>
      </Stack>
      <UnsentText text={text} name="comment" />
    </form>
  );
}

function EditForm({ entry, groupId, onClose }: { entry: Activity; groupId: string; onClose: () => void }) {
  const game = useGame();
  const [text, setText] = useState(entry.comment ?? '');
  const saving = useCommentMutation(async (comment: string) => {
    const address = { uid: game.game_uid, group_id: groupId, activity_uid: entry.activity_uid };
    await call(updateCrashGroupComment, { ...address, comment });
    onClose();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') saving.mutate(text.trim());
      }}
    >
      <Stack gap="xs" align="flex-start">
        <CommentField label="Edit comment" text={text} onType={setText} />
        {saving.error !== null && <Problem error={saving.error} onRetry={() => saving.mutate(text.trim())} />}
        <Group gap="xs">
          <Button type="submit" size="xs" disabled={text.trim() === ''} loading={saving.isPending}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
      <UnsavedChanges isChanged={text !== entry.comment} name="comment" />
    </form>
  );
}

type CommentFieldProps = { label: string; text: string; onType: (text: string) => void };

function CommentField({ label, text, onType }: CommentFieldProps) {
  const { members } = useGame();
  const mentions = members.map(({ name }) => `@${name}`);
  return (
    <Textarea
      data-field="comment"
      aria-label={label}
      placeholder={
        members.length > 1
          ? `What did you find out? ${mentions.slice(0, 2).join(' or ')} notifies them.`
          : 'What did you find out?'
      }
      autosize
      minRows={2}
      maxRows={12}
      maxLength={LIMITS.commentLength}
      w="100%"
      maw={640}
      value={text}
      onChange={(event) => onType(event.currentTarget.value)}
    />
  );
}
