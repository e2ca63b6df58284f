export type { ObjectStorage } from './object-storage';
