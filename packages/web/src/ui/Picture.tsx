// A store image in the size that the page shows it at: the browser takes the smallest of its copies that is sharp enough.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listMedia } from '@chauffeur/contract/operations/media';

export type StoredPicture = OutputOf<typeof listMedia>['gallery'][number];

type PictureProps = {
  picture: StoredPicture;
  /** How wide it is drawn, for the attribute `sizes` of an image. */
  sizes: string;
  alt: string;
  className?: string | undefined;
  /** Loaded only when it comes into sight. */
  lazy?: boolean;
};

export function Picture({ picture, sizes, alt, className, lazy = false }: PictureProps) {
  const { url, width, height, copies } = picture;
  const all = [...copies, { url, width }];
  return (
    <img
      className={className}
      src={url}
      srcSet={copies.length === 0 ? undefined : all.map((each) => `${each.url} ${each.width}w`).join(', ')}
      sizes={copies.length === 0 ? undefined : sizes}
      width={width}
      height={height}
      alt={alt}
      loading={lazy ? 'lazy' : undefined}
    />
  );
}
