#!/usr/bin/perl
# needs: perl
# A server that forks for every client, reaps in a handler of SIGCHLD, and stops at SIGTERM; its clients are processes, too.
use strict;
use warnings;
use IO::Socket::INET;
use POSIX ":sys_wait_h";
use Time::HiRes qw(sleep time);

my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 5, ReuseAddr => 1) or die $!;
my $port = $listener->sockport;
my $server = fork // die;
if (!$server) {
	my ($reaped, $stop) = (0, 0);
	$SIG{CHLD} = sub { $reaped++ while waitpid(-1, WNOHANG) > 0 };
	$SIG{TERM} = sub { $stop = 1 };
	until ($stop) {
		my $client = $listener->accept or next;
		if (!fork) {
			while (my $line = <$client>) {
				sleep rand() / 20;
				print $client uc $line;
			}
			exit 0;
		}
		close $client;
	}
	sleep 0.1 while $reaped < 5;
	print "reaped $reaped\n";
	exit 0;
}
close $listener;
my %clients;
for my $n (1 .. 5) {
	my $pid = fork // die;
	if (!$pid) {
		my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port) or die $!;
		for my $i (1 .. 3) {
			print $c "client $n line $i\n";
			<$c> eq "CLIENT $n LINE $i\n" or exit 1;
		}
		exit 0;
	}
	$clients{$pid} = $n;
}
my @order;
while (%clients) {
	my $pid = wait;
	$? == 0 or die "client: $?";
	push @order, delete $clients{$pid};
}
kill TERM => $server;
waitpid $server, 0;
$? == 0 or die "server: $?";
printf "%s %.6f\n", "@order", time;
