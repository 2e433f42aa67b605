// Takes images: chosen in the browser's own dialog, or dropped here.
import { Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './ImagesPage.module.css';

type DropImagesProps = { label: string; many?: boolean; busy: boolean; onFiles: (files: File[]) => void };

const ACCEPTED = 'image/png,image/jpeg,image/gif,image/webp';

export function DropImages({ label, many = false, busy, onFiles }: DropImagesProps) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!busy && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
      }}
    >
      <FileButton
        accept={ACCEPTED}
        multiple={many}
        onChange={(chosen: File | File[] | null) => {
          const files = chosen === null ? [] : [chosen].flat();
          if (files.length > 0) onFiles(files);
        }}
      >
        {(props) => (
          <Button {...props} size="xs" variant="default" loading={busy}>
            {label}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        or drop {many ? 'them' : 'it'} here
      </Text>
    </div>
  );
}
