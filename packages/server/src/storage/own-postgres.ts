export {
  binariesFrom,
  type OwnServer,
  PLATFORM_PACKAGE,
  startOwnServer,
} from '@baton/store-postgres/own-server';
