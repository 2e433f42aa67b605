// The requests to S3 that the blob store uses. Loads the AWS SDK, so this file is imported only if blobs are on S3.
import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
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
  ListPartsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from './content-disposition.ts';
import { codeOf, S3Error } from './failures.ts';
import type { S3Part } from './s3-parts.ts';
import { type BlobInfo, BlobMissingError, type ByteRange, keepErrors, type S3Settings } from './store.ts';

/** One bucket, below its prefix. Every request rejects with S3Error unless its comment says otherwise. */
export class Bucket {
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: S3Client;
  /** Sends requests to which some servers respond only after minutes. */
  readonly #patient: S3Client;

  /** Opens a client without sending anything. The AWS SDK finds credentials in its own variables, files or roles. */
  constructor(settings: S3Settings) {
    this.#bucket = settings.bucket;
    this.#prefix = settings.prefix ?? '';
    const { client, patient } = openClients(settings);
    [this.#client, this.#patient] = [client, patient];
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const request = new PutObjectCommand({ ...this.#at(name), Body: bytes });
    await this.#answer(`PutObject of ${name}`, this.#client.send(request));
  }

  /** Rejects with BlobMissingError if there is no such object. A range beyond the end is empty. */
  async get(name: string, range?: ByteRange): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const sent = this.#client.send(new GetObjectCommand({ ...this.#at(name), ...(Range !== undefined && { Range }) }));
    try {
      const { Body } = await this.#answer(`GetObject of ${name}`, sent, 'NoSuchKey');
      const body = Body as Readable; // Always a Readable in Node.
      return keepErrors(explainCuts(body, (error) => S3Error.of(`GetObject of ${name}`, this.#bucket, error)));
    } catch (error) {
      if (error instanceof S3Error && error.code === 'InvalidRange') return Readable.from([]);
      throw error;
    }
  }

  /** Returns the size of the object in bytes; null if there is none. */
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

  /** Removes the object, if there is one. */
  async remove(name: string): Promise<void> {
    await this.#answer(`DeleteObject of ${name}`, this.#client.send(new DeleteObjectCommand(this.#at(name))));
  }

  /** Begins a multipart upload and resolves to its id. */
  async createUpload(name: string): Promise<string> {
    const request = new CreateMultipartUploadCommand(this.#at(name));
    const { UploadId } = await this.#answer(`CreateMultipartUpload of ${name}`, this.#client.send(request));
    return UploadId!;
  }

  /**
   * Sends a part of 5 MiB to 5 GiB; numbers start at 1. Rejects with BlobMissingError if the upload does not exist any
   * more.
   */
  async uploadPart(
    name: string,
    uploadId: string,
    number: number,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<S3Part> {
    const request = new UploadPartCommand({ ...this.#at(name), UploadId: uploadId, PartNumber: number, Body: bytes });
    const sent = this.#client.send(request, signal && { abortSignal: signal });
    try {
      const { ETag } = await this.#answer(`UploadPart of ${name}`, sent, 'NoSuchUpload');
      return { etag: ETag!, size: bytes.byteLength };
    } catch (error) {
      // Some servers refuse a part and close the connection before they have read it, so the reason may be lost.
      if (error instanceof S3Error && CLOSED.has(error.code)) await this.#requireUpload(name, uploadId);
      throw error;
    }
  }

  /** Rejects with BlobMissingError if the upload does not exist any more. */
  async #requireUpload(name: string, uploadId: string): Promise<void> {
    const request = new ListPartsCommand({ ...this.#at(name), UploadId: uploadId, MaxParts: 1 });
    await this.#answer(`ListParts of ${name}`, this.#client.send(request), 'NoSuchUpload');
  }

  /** Makes an object of `parts`, in order. Rejects with BlobMissingError if the upload does not exist any more. */
  async completeUpload(name: string, uploadId: string, parts: readonly S3Part[]): Promise<void> {
    const Parts = parts.map((part, index) => ({ ETag: part.etag, PartNumber: index + 1 }));
    const request = new CompleteMultipartUploadCommand({
      ...this.#at(name),
      UploadId: uploadId,
      MultipartUpload: { Parts },
    });
    await this.#answer(`CompleteMultipartUpload of ${name}`, this.#patient.send(request), 'NoSuchUpload');
  }

  /** Aborts an upload, if it still exists. */
  async abortUpload(name: string, uploadId: string): Promise<void> {
    const request = new AbortMultipartUploadCommand({ ...this.#at(name), UploadId: uploadId });
    try {
      await this.#answer(`AbortMultipartUpload of ${name}`, this.#client.send(request), 'NoSuchUpload');
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
    }
  }

  /** Yields the multipart uploads whose names begin with `start`. MinIO lists only those with exactly that name. */
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

  /** Yields the objects whose names begin with `start`. */
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

  /** Returns a URL that downloads the object for `seconds`, at most seven days (Signature Version 4). */
  async sign(name: string, options: { seconds: number; filename: string; contentType: string }): Promise<string> {
    const request = new GetObjectCommand({
      ...this.#at(name),
      ResponseContentDisposition: attachment(options.filename),
      ResponseContentType: options.contentType,
    });
    return this.#answer(`Signing of ${name}`, getSignedUrl(this.#client, request, { expiresIn: options.seconds }));
  }

  /** Rejects if the bucket cannot be reached with these credentials. */
  async check(): Promise<void> {
    await this.#answer('HeadBucket', this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })));
  }

  close(): void {
    this.#client.destroy();
    this.#patient.destroy();
  }

  #at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }

  /** Awaits a response. Errors with a code in `missing` become a BlobMissingError. */
  async #answer<T>(request: string, sent: Promise<T>, ...missing: string[]): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      if (!missing.includes(codeOf(error))) throw S3Error.of(request, this.#bucket, error);
      throw new BlobMissingError(`${request} on S3 bucket ${this.#bucket} found nothing`, { cause: error });
    }
  }
}

/** The codes of a connection that the server closed in the middle of a request or response. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/** Replaces the error of a stream whose connection was closed, without a copy of its bytes. */
function explainCuts(body: Readable, explain: (error: Error) => Error): Readable {
  const destroy = body._destroy.bind(body);
  body._destroy = (error, done) => destroy(error !== null && CLOSED.has(codeOf(error)) ? explain(error) : error, done);
  return body;
}

/**
 * Milliseconds without a byte in either direction. Some servers send nothing while they assemble the parts of a blob.
 */
const [SILENCE_MS, ASSEMBLY_MS] = [30_000, 120_000];
const AGENT = { keepAlive: true, maxSockets: 128 };

/** Both clients share their connections. */
function openClients({ region, endpoint }: S3Settings): { client: S3Client; patient: S3Client } {
  const [httpAgent, httpsAgent] = [
    closeIdleAfterTimeout(new HttpAgent(AGENT)),
    closeIdleAfterTimeout(new Agent(AGENT)),
  ];
  const open = (socketTimeout: number) =>
    new S3Client({
      region,
      // A bucket in the host name needs a DNS record, which only Amazon's endpoint is sure to have.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      // Every body is signed as it is; not every S3 server supports the SDK's extra checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 4,
      requestHandler: { connectionTimeout: 5_000, socketTimeout, httpAgent, httpsAgent },
    });
  return { client: open(SILENCE_MS), patient: open(ASSEMBLY_MS) };
}

/**
 * A server that has lost its power or its network closes no connection. When one of them times out, the idle ones are
 * probably as dead, and trying them one after the other would take minutes.
 */
function closeIdleAfterTimeout<T extends HttpAgent>(agent: T): T {
  const closeIdle = () => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  };
  const createConnection = agent.createConnection.bind(agent);
  agent.createConnection = (...parameters) => createConnection(...parameters)?.on('timeout', closeIdle);
  return agent;
}
