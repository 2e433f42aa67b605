// The requests to S3 that the blob store is made of. Loads the AWS SDK, so it is imported only when there is a bucket.
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from './content-disposition.ts';
import type { S3Part } from './s3-parts.ts';
import { type BlobInfo, BlobMissingError, type ByteRange, keepErrors } from './store.ts';

/** `prefix` is put before every name in the bucket; it is empty or ends with a slash. */
export type S3Settings = { bucket: string; region: string; endpoint?: string; prefix?: string };

/** S3 refused, or could not be reached. `code` is S3's or the network's own, such as AccessDenied or ECONNREFUSED. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: string;

  constructor(request: string, bucket: string, cause: unknown) {
    const code = codeOf(cause);
    super(`${request} on S3 bucket ${bucket} failed: ${code}: ${messageOf(cause)}`, { cause });
    this.code = code;
  }
}

/** One bucket, below its prefix. Every request rejects with S3Error, besides what is said at it. */
export class Bucket {
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: S3Client;

  /** Opens a client; nothing is sent yet. Credentials are found by the AWS SDK in its own variables, files or roles. */
  constructor(settings: S3Settings) {
    this.#bucket = settings.bucket;
    this.#prefix = settings.prefix ?? '';
    this.#client = openClient(settings);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const request = new PutObjectCommand({ ...this.#at(name), Body: bytes });
    await this.#answer(`PutObject of ${name}`, this.#client.send(request));
  }

  /** Rejects with BlobMissingError when there is no such object. A range behind its end is empty. */
  async get(name: string, range?: ByteRange): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const sent = this.#client.send(new GetObjectCommand({ ...this.#at(name), ...(Range !== undefined && { Range }) }));
    try {
      const { Body } = await this.#answer(`GetObject of ${name}`, sent, 'NoSuchKey');
      return keepErrors(Body as Readable); // What the SDK gives in Node.
    } catch (error) {
      if (error instanceof S3Error && error.code === 'InvalidRange') return Readable.from([]);
      throw error;
    }
  }

  /** Size of the object in bytes; null when there is none. */
  async sizeOf(name: string): Promise<number | null> {
    const sent = this.#client.send(new HeadObjectCommand(this.#at(name)));
    try {
      const { ContentLength } = await this.#answer(`HeadObject of ${name}`, sent, 'NotFound');
      return ContentLength ?? 0;
    } catch (error) {
      if (error instanceof BlobMissingError) return null;
      throw error;
    }
  }

  /** Removes the object; there need not be one. */
  async remove(name: string): Promise<void> {
    await this.#answer(`DeleteObject of ${name}`, this.#client.send(new DeleteObjectCommand(this.#at(name))));
  }

  /** Begins a multipart upload and resolves to its id. */
  async createUpload(name: string): Promise<string> {
    const request = new CreateMultipartUploadCommand(this.#at(name));
    const { UploadId } = await this.#answer(`CreateMultipartUpload of ${name}`, this.#client.send(request));
    return UploadId!;
  }

  /** Sends a part of 5 MiB to 5 GiB; the first has number 1. Rejects with BlobMissingError when the upload is gone. */
  async uploadPart(
    name: string,
    uploadId: string,
    number: number,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<S3Part> {
    const request = new UploadPartCommand({ ...this.#at(name), UploadId: uploadId, PartNumber: number, Body: bytes });
    const sent = this.#client.send(request, signal && { abortSignal: signal });
    const { ETag } = await this.#answer(`UploadPart of ${name}`, sent, 'NoSuchUpload');
    return { etag: ETag!, size: bytes.byteLength };
  }

  /** Makes the object of `parts`, in order. Rejects with BlobMissingError when the upload is gone. */
  async completeUpload(name: string, uploadId: string, parts: readonly S3Part[]): Promise<void> {
    const Parts = parts.map((part, index) => ({ ETag: part.etag, PartNumber: index + 1 }));
    const request = new CompleteMultipartUploadCommand({
      ...this.#at(name),
      UploadId: uploadId,
      MultipartUpload: { Parts },
    });
    await this.#answer(`CompleteMultipartUpload of ${name}`, this.#client.send(request), 'NoSuchUpload');
  }

  /** Gives up an upload; it may be gone already. */
  async abortUpload(name: string, uploadId: string): Promise<void> {
    const request = new AbortMultipartUploadCommand({ ...this.#at(name), UploadId: uploadId });
    try {
      await this.#answer(`AbortMultipartUpload of ${name}`, this.#client.send(request), 'NoSuchUpload');
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
    }
  }

  /** The multipart uploads whose names begin with `start`. MinIO finds those of exactly that name only. */
  async *listUploads(start: string): AsyncGenerator<{ key: string; uploadId: string; begunAt: Date }> {
    let markers = {};
    for (;;) {
      const request = new ListMultipartUploadsCommand({
        Bucket: this.#bucket,
        Prefix: this.#prefix + start,
        ...markers,
      });
      const page = await this.#answer('ListMultipartUploads', this.#client.send(request));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        yield { key: Key!.slice(this.#prefix.length), uploadId: UploadId!, begunAt: Initiated! };
      }
      if (!page.IsTruncated) return;
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  /** The objects whose names begin with `start`. */
  async *listObjects(start: string): AsyncGenerator<BlobInfo> {
    const pages = paginateListObjectsV2(
      { client: this.#client },
      { Bucket: this.#bucket, Prefix: this.#prefix + start },
    );
    for (;;) {
      const { done, value: page } = await this.#answer('ListObjectsV2', pages.next());
      if (done) return;
      for (const { Key, LastModified } of page.Contents ?? []) {
        yield { key: Key!.slice(this.#prefix.length), modifiedAt: LastModified! };
      }
    }
  }

  /** An address that gives the object for `seconds`, at most seven days (Signature Version 4), as a download. */
  async sign(name: string, options: { seconds: number; filename: string; contentType: string }): Promise<string> {
    const request = new GetObjectCommand({
      ...this.#at(name),
      ResponseContentDisposition: attachment(options.filename),
      ResponseContentType: options.contentType,
    });
    return this.#answer(`Signing of ${name}`, getSignedUrl(this.#client, request, { expiresIn: options.seconds }));
  }

  /** Rejects when the bucket does not answer, or not to these credentials. */
  async check(): Promise<void> {
    await this.#answer('HeadBucket', this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })));
  }

  close(): void {
    this.#client.destroy();
  }

  #at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }

  /** Waits for the answer to a request. The codes in `missing` become a BlobMissingError. */
  async #answer<T>(request: string, sent: Promise<T>, ...missing: string[]): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      if (!missing.includes(codeOf(error))) throw new S3Error(request, this.#bucket, error);
      throw new BlobMissingError(`${request} on S3 bucket ${this.#bucket} found nothing`, { cause: error });
    }
  }
}

/** For http and https alike. */
const AGENT = { keepAlive: true, maxSockets: 128 };

function openClient({ region, endpoint }: S3Settings): S3Client {
  return new S3Client({
    region,
    // A bucket in the host name needs DNS of its own, which only Amazon's endpoint is sure to have.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Every body is signed as it is; the SDK's extra checksums are not known to every S3 server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
    // Milliseconds. The second is for an idle socket: some servers say nothing while they put the parts of a blob together.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 120_000, httpAgent: AGENT, httpsAgent: AGENT },
  });
}

/** S3's errors have their code as their name, those of the network have it in `code`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no further reason given';
}
