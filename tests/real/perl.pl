#!/usr/bin/perl
# needs: perl
# Hash order, forks, pipes, alarm.
use strict; use Time::HiRes qw(time sleep); use IO::Socket::INET; use File::Temp qw(tempfile);
my %h = map { $_ => rand } 1 .. 20; print join(",", map { "$_=$h{$_}" } keys %h), "\n"; print time, " $$\n";
my ($f, $name) = tempfile(UNLINK => 1); print $f "line $_\n" for 1 .. 100; close $f;
open my $g, "-|", "sort -r $name | head -n 1" or die; my $top = <$g>; close $g; $top eq "line 99\n" or die $top;
my @kids; for my $n (1 .. 3) { my $p = fork; if (!$p) { sleep rand; exit $n } push @kids, $p }
my $sum = 0; for (@kids) { waitpid $_, 0; $sum += $? >> 8 } $sum == 6 or die;
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 3; sleep 100 }; $@ eq "alarm\n" or die;
