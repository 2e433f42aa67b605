// The videos of a listing: addresses of videos on YouTube and Vimeo.
import { LIMITS } from '@chauffeur/contract/limits';
import { readVideoLink } from '@chauffeur/contract/video-link';
import { Button, CloseButton, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';

type VideoFieldsProps = { videos: readonly string[]; onChange: (videos: string[]) => void };

export function VideoFields({ videos, onChange }: VideoFieldsProps) {
  return (
    <Fieldset legend="Videos" p={0} bd={0} bg="transparent">
      <Stack gap="xs" align="flex-start">
        <Text size="xs" c="dimmed">
          On YouTube or Vimeo. Nothing is loaded from there until a player presses the button.
        </Text>
        {videos.map((video, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: while one is typed, it has no other key
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start" w="100%">
            <VideoField
              index={index}
              video={video}
              onChange={(changed) => onChange(videos.map((each, at) => (at === index ? changed : each)))}
            />
            <CloseButton
              mt={4}
              aria-label={`Remove video ${index + 1}`}
              onClick={() => onChange(videos.filter((_, at) => at !== index))}
            />
          </Group>
        ))}
        {videos.length < LIMITS.gameVideos && (
          <Button variant="default" size="compact-sm" onClick={() => onChange([...videos, ''])}>
            Add video
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

type VideoFieldProps = { index: number; video: string; onChange: (video: string) => void };

function VideoField({ index, video, onChange }: VideoFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const problem = video === '' || readVideoLink(video) !== null ? '' : 'Not a video on YouTube or Vimeo';
  // So that the form is not sent, which would lead to a second message.
  useEffect(() => field.current?.setCustomValidity(problem));
  return (
    <TextInput
      ref={field}
      flex={1}
      type="url"
      required
      data-field={`videos[${index}]`}
      aria-label={`Address of video ${index + 1}`}
      placeholder="https://www.youtube.com/watch?v="
      maxLength={LIMITS.gameLinkLength}
      value={video}
      error={problem === '' ? undefined : problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
