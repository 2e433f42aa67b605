// A result whose HTTP status is not the operation's default.

export class Answer<T> {
  readonly status: number;
  readonly data: T;

  constructor(status: number, data: T) {
    this.status = status;
    this.data = data;
  }
}

export function answer<T>(status: number, data: T): Answer<T> {
  return new Answer(status, data);
}
