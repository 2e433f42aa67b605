// A store image. The browser picks the smallest copy that is sharp enough.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listMedia } from '@chauffeur/contract/operations/media';

export type StoredPicture = OutputOf<typeof listMedia>['gallery'][number];

type PictureProps = {
  picture: StoredPicture;
  /** How wide it is drawn, as in the `sizes` attribute of an image. */
  sizes: string;
  alt: string;
  className?: string | undefined;
  /** Load it only when it scrolls into view. */
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
