#include "comm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define POLL_MS 500
#define LISTEN_SLOT NCCL_MAX_LOCAL_RANKS

enum { MSG_INIT = 1, MSG_CLOSE, MSG_STOP };

struct ncclProxyOps {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool stop;
};

/* No socket here is close-on-exec: NCCL's are not either, at any version. */
static int ncclSocketListen(int *port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int fd = must(socket(AF_INET, SOCK_STREAM, 0), "socket");

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(fd, (struct sockaddr *)&addr, len), "bind to 127.0.0.1");
	must(listen(fd, 16), "listen");
	must(getsockname(fd, (struct sockaddr *)&addr, &len), "getsockname");
	*port = ntohs(addr.sin_port);
	return fd;
}

static int ncclSocketConnect(int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = must(socket(AF_INET, SOCK_STREAM, 0), "socket");

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), "connect to 127.0.0.1");
	return fd;
}

static int ncclSocketAccept(int listener, int *peer_port)
{
	struct sockaddr_in addr = { 0 };
	socklen_t len = sizeof(addr);
	int fd = must(accept(listener, (struct sockaddr *)&addr, &len), "accept");

	*peer_port = ntohs(addr.sin_port);
	return fd;
}

static void ncclSocketSend(int fd, int type)
{
	/* Whoever left already needs no message. */
	(void)!send(fd, &type, sizeof(type), MSG_NOSIGNAL);
}

/*
 * The whole difference between 2.17 and 2.18.  close() gives up one descriptor; the connection
 * ends only with the last one, which a forked child may hold.  shutdown() ends the connection.
 */
static void ncclSocketClose(struct ncclComm *comm, int fd)
{
	if (comm->shutdownOnClose)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

static void *ncclProxyProgress(void *arg)
{
	struct ncclProxyOps *ops = arg;

	pthread_mutex_lock(&ops->mutex);
	while (!ops->stop)
		pthread_cond_wait(&ops->cond, &ops->mutex);
	pthread_mutex_unlock(&ops->mutex);
	return NULL;
}

static void ncclProxyProgressCreate(struct ncclComm *comm)
{
	pthread_condattr_t shared;

	comm->ops = mmap(NULL, sizeof(*comm->ops), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(comm->ops == MAP_FAILED ? -1 : 0, "mmap");
	pthread_condattr_init(&shared);
	pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&comm->ops->cond, &shared);
	pthread_mutex_init(&comm->ops->mutex, NULL);
	errno = pthread_create(&comm->progress, NULL, ncclProxyProgress, comm->ops);
	must(-errno, "pthread_create");
}

static void ncclProxyProgressDestroy(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->ops->mutex);
	comm->ops->stop = true;
	pthread_cond_signal(&comm->ops->cond);
	pthread_mutex_unlock(&comm->ops->mutex);
	pthread_join(comm->progress, NULL);
	munmap(comm->ops, sizeof(*comm->ops));
}

/* Takes a new connection into the first free slot; the number of peers gained. */
static int acceptPeer(struct ncclComm *comm, struct pollfd *pollfds, int npeers)
{
	int port, slot = 0, fd = ncclSocketAccept(comm->listener, &port);

	while (slot < LISTEN_SLOT && pollfds[slot].fd >= 0)
		slot++;
	if (slot == LISTEN_SLOT) {
		close(fd);
		return 0;
	}
	pollfds[slot] = (struct pollfd){ .fd = fd, .events = POLLIN | POLLHUP };
	trace((struct nh_demo_event){ .kind = NH_EV_ACCEPTED,
		.fd = fd,
		.slot = slot,
		.npeers = npeers + 1,
		.port = port });
	return 1;
}

/* Answers one request; false once the peer is gone, *err saying how. */
static bool servePeer(int fd, int *stop, int *err)
{
	int type;
	ssize_t n = recv(fd, &type, sizeof(type), MSG_WAITALL);

	*err = n < 0 ? errno : 0;
	if (n != sizeof(type))
		return n < 0 && errno == EINTR;
	if (type == MSG_INIT) {
		ncclSocketSend(fd, type);
		return true;
	}
	if (type == MSG_STOP)
		*stop = 1;
	*err = NH_BY_MESSAGE;
	return false;
}

static void *ncclProxyService(void *arg)
{
	struct ncclComm *comm = arg;
	struct pollfd pollfds[NCCL_MAX_LOCAL_RANKS + 1];
	int stop = 0, npeers = 0, err;

	comm->serviceTid = gettid();
	ncclProxyProgressCreate(comm);
	for (int s = 0; s < LISTEN_SLOT; s++)
		pollfds[s] = (struct pollfd){ .fd = -1 };
	pollfds[LISTEN_SLOT] = (struct pollfd){ .fd = comm->listener, .events = POLLIN };

	/* An aborted communicator stays as long as a peer could still send a request. */
	while (stop == 0 || (stop == 1 && npeers > 0)) {
		int n = poll(pollfds, NCCL_MAX_LOCAL_RANKS + 1, POLL_MS);

		if (comm->abortFlag)
			stop = 1;
		if (n == 0)
			trace((struct nh_demo_event){ .kind = NH_EV_QUIET, .npeers = npeers });
		if (n <= 0)
			continue;
		for (int s = 0; s < LISTEN_SLOT; s++) {
			int fd = pollfds[s].fd;

			if (fd < 0 || !pollfds[s].revents || servePeer(fd, &stop, &err))
				continue;
			pollfds[s].fd = -1;
			npeers--;
			trace((struct nh_demo_event){ .kind = NH_EV_GONE,
				.fd = fd,
				.slot = s,
				.npeers = npeers,
				.err = err });
			ncclSocketClose(comm, fd);
		}
		if (pollfds[LISTEN_SLOT].revents)
			npeers += acceptPeer(comm, pollfds, npeers);
	}
	ncclProxyProgressDestroy(comm);
	ncclSocketClose(comm, comm->listener);
	return NULL;
}

static void ncclProxyRequest(int fd)
{
	struct pollfd reply = { .fd = fd, .events = POLLIN };

	ncclSocketSend(fd, MSG_INIT);
	while (poll(&reply, 1, -1) < 0 && errno == EINTR)
		;
}

int ncclProxyConnect(struct ncclComm *comm, int port)
{
	int fd = ncclSocketConnect(port), type;

	ncclProxyRequest(fd);
	must((int)recv(fd, &type, sizeof(type), MSG_WAITALL), "recv");
	comm->peerSocks[comm->npeerSocks++] = fd;
	return fd;
}

int ncclProxyLeaveUnread(struct ncclComm *comm)
{
	ncclProxyRequest(comm->peerSocks[0]);
	return comm->peerSocks[0];
}

static void bootstrapInit(struct ncclComm *comm)
{
	int port, listener = ncclSocketListen(&port);

	comm->bootstrap[0] = ncclSocketConnect(port);
	comm->bootstrap[1] = ncclSocketAccept(listener, &port);
	close(listener);
}

void ncclCommInitRank(struct ncclComm *comm)
{
	bootstrapInit(comm);
	comm->listener = ncclSocketListen(&comm->port);
	errno = pthread_create(&comm->service, NULL, ncclProxyService, comm);
	must(-errno, "pthread_create");
	ncclProxyConnect(comm, comm->port);
	trace((struct nh_demo_event){
		.kind = NH_EV_READY, .tid = comm->serviceTid, .port = comm->port });
}

/* An aborting rank must not wait for others, so it sends nothing: it just closes. */
static void ncclProxyDestroy(struct ncclComm *comm, int op)
{
	if (!comm->abortFlag) {
		int fd = ncclSocketConnect(comm->port);

		ncclSocketSend(fd, MSG_STOP);
		ncclSocketClose(comm, fd);
	}
	for (int i = 0; i < comm->npeerSocks; i++) {
		if (!comm->abortFlag)
			ncclSocketSend(comm->peerSocks[i], MSG_CLOSE);
		trace((struct nh_demo_event){
			.kind = NH_EV_CLOSED, .fd = comm->peerSocks[i], .op = op });
		ncclSocketClose(comm, comm->peerSocks[i]);
	}
}

static void commFree(struct ncclComm *comm)
{
	pthread_join(comm->service, NULL);
	close(comm->bootstrap[0]);
	close(comm->bootstrap[1]);
}

static void commCleanup(struct ncclComm *comm)
{
	commFree(comm);
	*comm = (struct ncclComm){ 0 };
}

/* Not inlined, as in the library's release builds; the two above are. */
__attribute__((noinline)) static void commReclaim(struct ncclComm *comm, int op)
{
	ncclProxyDestroy(comm, op);
	commCleanup(comm);
}

void ncclCommAbort(struct ncclComm *comm, bool shutdown_first)
{
	int op = shutdown_first ? NH_OP_SHUTDOWN : NH_OP_ABORT;

	trace((struct nh_demo_event){ .kind = NH_EV_CALLED, .op = op });
	comm->shutdownOnClose = shutdown_first;
	comm->abortFlag = 1;
	commReclaim(comm, op);
	trace((struct nh_demo_event){ .kind = NH_EV_RETURNED, .op = op });
}

void ncclCommDestroy(struct ncclComm *comm)
{
	trace((struct nh_demo_event){ .kind = NH_EV_CALLED, .op = NH_OP_DESTROY });
	commReclaim(comm, NH_OP_DESTROY);
	trace((struct nh_demo_event){ .kind = NH_EV_RETURNED, .op = NH_OP_DESTROY });
}
