import { ObjectMissingError, type ObjectStorage, ObjectStorageError } from '@tributary/object-storage';

/** An object storage in memory, which counts the bytes that are read. */
export class MemoryObjects implements ObjectStorage {
  readonly objects = new Map<string, Buffer>();
  bytesRead = 0;
  isDown = false;
  /** Objects that the storage does not delete. */
  readonly held = new Set<string>();

  async write(key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    this.assertUp();
    const pieces: Buffer[] = [];
    for await (const piece of bytes) pieces.push(piece);
    this.objects.set(key, Buffer.concat(pieces));
  }

  async *read(key: string, start: number, end: number): AsyncGenerator<Buffer> {
    this.assertUp();
    const object = await Promise.resolve(this.objects.get(key));
    if (!object) throw new ObjectMissingError();
    // Pieces of a size that has nothing to do with that of the segments.
    for (let at = start; at < Math.min(end, object.length); at += 50_000) {
      const piece = object.subarray(at, Math.min(at + 50_000, end));
      this.bytesRead += piece.length;
      yield piece;
    }
  }

  delete(key: string): Promise<void> {
    this.assertUp();
    if (this.held.has(key)) return Promise.reject(new ObjectStorageError('AccessDenied', 403));
    this.objects.delete(key);
    return Promise.resolve();
  }

  private assertUp(): void {
    if (this.isDown) throw new ObjectStorageError('ECONNREFUSED');
  }
}
