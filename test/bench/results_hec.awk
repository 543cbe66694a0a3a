# Statements of PLB-HeC (2015) about what is simulated, each with a row of real ranks: results.awk has the
# functions, and reads the numbers.
function hec() {
    head()
    hec_grows()
    hec_small()
    hec_fluctuates()
    hec_one_machine()
    hec_order()
    hec_highest()
    hec_above_greedy()
    hec_ahead()
    hec_unlike()
    hec_spread()
    hec_training()
    hec_cpu_blocks()
    hec_gpu_blocks()
    hec_alike()
    nearest("improves the accuracy of block distribution, a more precise estimation (abstract, V.A.b)", ONE,
            "plb-hec hdss+sync acosta", HEC_APPS, one_gpu)
    shares_spread("standard deviations of these shares are small (V.A.b)", ONE, "plb-hec hdss+sync acosta",
                  HEC_APPS, 1, one_gpu)
    hec_hdss_acosta()
    idles_less("PLB-HeC idles less than HDSS in all scenarios (V.A.c)", ONE, "four", 2, "plb-hec", HEC_APPS,
               one_gpu)
    early_row("HDSS idles mainly in its first phase (V.A.c)", ONE, "hdss+sync", HEC_APPS, one_gpu)
    early_row("most of the idle time is in the initial phase (V.A.c)", ONE, "plb-hec", HEC_APPS, one_gpu)
    early_less("PLB-HeC idles less in the first phase (V.A.c)", ONE, "plb-hec", HEC_APPS, one_gpu)
    hec_acosta_idle()
    idle_falls("idle time falls with size (V.A.c)", ONE, 2, "plb-hec", HEC_APPS, one_gpu)
    hec_threshold()
}
# The three that the paper compares with greedy.
function three(a) { return "plb-hec " hdss_as(a) " acosta" }
function hec_grows(    s, m, i, z, k, grew, more, four, count) {
    s = "the execution time increases with the input (V.A.a)"
    split("plb-hec hdss+sync acosta greedy+idle", four, " ")
    for (m = 1; m <= 4; m++)
        for (i = 1; i <= 3; i++)
            for (k = 1; k <= 4; k++) {
                grew = 1
                for (z = 2; z <= 4; z++)
                    grew = grew && seconds[hecs[m], apps[i], size[i, z], four[k]] > \
                                     seconds[hecs[m], apps[i], size[i, z - 1], four[k]]
                count += grew
            }
    row(s, "four sizes, four algorithms", sprintf("in %d of 48 series", count), verdict(count, 48))
    for (k = 1; k <= 4; k++) more += real[four[k], "steady"] > real[four[k], "short"]
    real_row(s, sprintf("a tenth of a second to a second: in %d of 4", more), verdict(more, 4))
}
function hec_small(    s, a, m, k, list, best, others, count, says, numbers) {
    s = "MM 4096: greedy is faster than the other three (V.A.a)"
    for (a = 1; a >= 0; a--) {
        list = ""
        count = 0
        split(three(a), others, " ")
        for (m = 1; m <= 4; m++) {
            best = 1
            for (k = 2; k <= 3; k++)
                if (ratio[hecs[m], "mm", 4096, others[k]] < ratio[hecs[m], "mm", 4096, others[best]]) best = k
            list = list sprintf("%s%s: %.2f and %.2f (%s)", m > 1 ? ". " : "", title_of(count_name[m]),
                                ratio[hecs[m], "mm", 4096, greedy_as(a)],
                                ratio[hecs[m], "mm", 4096, others[best]], others[best])
            count += ratio[hecs[m], "mm", 4096, greedy_as(a)] < ratio[hecs[m], "mm", 4096, others[best]]
        }
        row(s, papers_way(a) "; one to four machines",
            "over the optimum, greedy and the best of the others, by machines. " list, verdict(count, 4))
        numbers = numbers letter(a) seconds_of(three(a) " " greedy_as(a), "short")
        says = says letter(a) first_of(greedy_as(a), three(a), "short")
    }
    real_row(s, "a tenth of a second: " numbers, says)
}
# The least and the most speed-up over greedy of the three others; of the chosen cells.
function all_speedups(a,    k, others, low, high) {
    split(three(a), others, " ")
    low = 1e9
    high = 0
    for (k = 1; k <= 3; k++) {
        speedup(others[k], greedy_as(a))
        if (least < low) low = least
        if (most > high) high = most
    }
    least = low
    most = high
}
function real_speedups(a, which,    k, others, r) {
    split(three(a), others, " ")
    least = 1e9
    most = 0
    for (k = 1; k <= 3; k++) {
        r = real[greedy_as(a), which] / real[others[k], which]
        if (r < least) least = r
        if (r > most) most = r
    }
}
function hec_fluctuates(    s, a, k, z, others, text, range, count) {
    s = "the speed-ups fluctuate for small inputs (V.A.a)"
    for (a = 1; a >= 0; a--) {
        split(three(a), others, " ")
        text = ""
        count = 0
        for (k = 1; k <= 3; k++) {
            for (z = 1; z <= 4; z += 3) {
                choose(hecs, 1, 4, HEC_APPS, z, z)
                speedup(others[k], greedy_as(a))
                range[z] = most / least
            }
            text = text sprintf("%s%s %.2f and %.2f", k > 1 ? "; " : "", others[k], range[1], range[4])
            count += range[1] > range[4]
        }
        row(s, papers_way(a) "; more than for large ones", "most over least speed-up to greedy, smallest " \
            "and largest sizes: " text, verdict(count, 3))
    }
    no_real(s, "they execute one application on one machine and on three")
}
function hec_one_machine(    s, a, says, numbers) {
    s = "one machine: speed-ups near 1 (V.A.a)"
    for (a = 1; a >= 0; a--) {
        choose(hecs, 1, 1, HEC_APPS, 4, 4)
        all_speedups(a)
        row(s, papers_way(a), sprintf("all three to greedy, largest sizes: %.2f to %.2f", least, most),
            yes(least > 0.9 && most < 1.1) " within 0.1")
        real_speedups(a, "one")
        numbers = numbers letter(a) sprintf("all three to greedy %.2f to %.2f", least, most)
        says = says letter(a) yes(least > 0.9 && most < 1.1) " within 0.1"
    }
    real_row(s, numbers, says)
}
# Whether each of the list is ahead of the next one in the runs.
function real_order(list, which,    m, others, k, says) {
    m = split(list, others, " ")
    says = "holds"
    for (k = 1; k < m; k++) says = both(says, first_of(others[k], others[k + 1], which))
    return says
}
function hec_order(    s, a, x, h, z, r, says, numbers) {
    s = "MM 65536 on four machines: 2.2 times as fast as greedy, HDSS 1.2, Acosta 1.04 (V.A.a)"
    for (a = 1; a >= 0; a--) {
        x = big(hecs[4], 1, greedy_as(a)) / big(hecs[4], 1, "plb-hec")
        h = big(hecs[4], 1, greedy_as(a)) / big(hecs[4], 1, hdss_as(a))
        z = big(hecs[4], 1, greedy_as(a)) / big(hecs[4], 1, "acosta")
        row(s, papers_way(a), sprintf("PLB-HeC %.2f, HDSS %.2f, Acosta %.2f", x, h, z),
            "order: " yes(x > h && h > z && z > 1) ", 2.2 within 10 %: " yes(x > 1.98 && x < 2.42))
        r = real[greedy_as(a), "steady"]
        numbers = numbers letter(a) sprintf("PLB-HeC %.2f, HDSS %.2f, Acosta %.2f, of %.2f at most",
            r / real["plb-hec", "steady"], r / real[hdss_as(a), "steady"], r / real["acosta", "steady"],
            r / real["ideal", "steady"])
        says = says letter(a) real_order("plb-hec " hdss_as(a) " acosta " greedy_as(a), "steady")
    }
    real_row(s, "the order alone. " numbers, says)
}
function hec_why(    x) {
    x = big(hecs[4], 1, "hdss+sync") / big(hecs[4], 1, "greedy+idle")
    printf "The paper has HDSS ahead of greedy. Under reading A it takes"
    printf " %.2f times as long as greedy for MM 65536 on four machines, in virtual\ntime.", x
    x = real["hdss+sync", "steady"] / real["greedy+idle", "steady"]
    printf " The job of a second on real ranks takes it %.2f times as long.", x
    print " With equal blocks for unlike PUs, HDSS waits at each\nbarrier for the slowest of them."
}
function hec_highest(    s, a, there) {
    s = "the highest gain is that of MM 65536 on four machines (V.A.a)"
    there = hecs[4] SUBSEP "mm" SUBSEP 65536
    for (a = 1; a >= 0; a--) {
        choose(hecs, 1, 4, HEC_APPS, 1, 4)
        speedup("plb-hec", greedy_as(a))
        row(s, papers_way(a), sprintf("to greedy, all sizes: %s %.2f; MM 65536 on four machines %.2f",
                cell_name(where), most, ratio[there, greedy_as(a)] / ratio[there, "plb-hec"]),
            yes(where == there))
    }
    no_real(s, "they execute one application on one machine and on three")
}
function hec_above_greedy(    s, a, c, count, total, grn, r) {
    s = "three machines or more: above 1.2 times greedy, but for GRN on three (V.A.a)"
    for (a = 1; a >= 0; a--) {
        choose(hecs, 3, 4, HEC_APPS, 4, 4)
        count = total = 0
        for (c = 1; c <= of; c++) {
            r = ratio[chosen[c], greedy_as(a)] / ratio[chosen[c], "plb-hec"]
            if (index(chosen[c], hecs[3] SUBSEP "grn")) grn = r
            else {
                count += r > 1.2
                total++
            }
        }
        r = speedup("plb-hec", greedy_as(a))
        row(s, papers_way(a),
            sprintf("largest sizes: %.2f to %.2f, mean %.2f; GRN on three %.2f", least,
                    most, r, grn),
            verdict(count, total) "; GRN on three: " yes(grn <= 1.2))
    }
    # The ideal time is the most that any balancer can gain.
    r = real["greedy+idle", "steady"] / real["ideal", "steady"]
    grn = real["greedy", "steady"] / real["ideal", "steady"]
    no_real(s, sprintf("greedy is so near to the ideal that %.2f (A) and %.2f (B) are the most there can be",
                       r, grn))
}
function hec_ahead(    s, t, a, c, d, says, numbers) {
    s = "larger inputs: always faster than the other three (V.A.a)"
    t = "faster in almost all scenarios of two machines or more (abstract)"
    for (a = 1; a >= 0; a--) {
        choose(hecs, 2, 4, HEC_APPS, 4, 4)
        d = sprintf("with two machines or more in %d of %d", below("plb-hec", rivals(a)), of)
        choose(hecs, 1, 4, HEC_APPS, 4, 4)
        c = below("plb-hec", rivals(a))
        row(s, papers_way(a), sprintf("largest sizes: than all three in %d of %d, %s; than HDSS in %d", c, of,
                d, below("plb-hec", hdss_as(a))), verdict(c, of))
        numbers = numbers letter(a) seconds_of("plb-hec " rivals(a), "steady")
        says = says letter(a) first_of("plb-hec", rivals(a), "steady")
    }
    real_row(s, numbers, says)
    says = numbers = ""
    for (a = 1; a >= 0; a--) {
        choose(hecs, 2, 4, HEC_APPS, 1, 4)
        c = below("plb-hec", rivals(a))
        row(t, papers_way(a), sprintf("all sizes: than all three in %d of %d", c, of),
            yes(c >= 0.9 * of) " if almost all is 90 %")
        numbers = numbers letter(a) seconds_of("plb-hec " rivals(a), "short")
        says = says letter(a) first_of("plb-hec", rivals(a), "short")
    }
    real_row(t, "a tenth of a second: " numbers, says)
}
# How far the four algorithms are from each other: the slowest over the quickest, by number of machines.
function hec_differ(s, a,    m, c, k, four, low, high, wide) {
    split(three(a) " " greedy_as(a), four, " ")
    for (m = 1; m <= 4; m++) {
        choose(hecs, m, m, HEC_APPS, 4, 4)
        wide[m] = 0
        for (c = 1; c <= of; c++) {
            low = 1e9
            high = 0
            for (k = 1; k <= 4; k++) {
                if (ratio[chosen[c], four[k]] < low) low = ratio[chosen[c], four[k]]
                if (ratio[chosen[c], four[k]] > high) high = ratio[chosen[c], four[k]]
            }
            wide[m] += high / low / of
        }
    }
    row(s, papers_way(a),
        "slowest over quickest of the four, means of one to four machines, largest sizes: " \
        list_of(wide, 4, "%.2f"), steps(wide, 4))
}
# The slowest of the list over the quickest, by medians; and, whichever of the runs are compared, between
# width_low and width_high.
function real_width(which, list,    m, k, others, c, quick, slow, r) {
    m = split(list, others, " ")
    quick[1] = quick[2] = quick[3] = 1e9
    for (k = 1; k <= m; k++) {
        r[1] = real[others[k], which]
        r[2] = real_low[others[k], which]
        r[3] = real_high[others[k], which]
        for (c = 1; c <= 3; c++) {
            if (r[c] < quick[c]) quick[c] = r[c]
            if (r[c] > slow[c]) slow[c] = r[c]
        }
    }
    width_low[which] = slow[2] / quick[3]
    width_high[which] = slow[3] / quick[2]
    return slow[1] / quick[1]
}
function hec_unlike(    s, a, list, says, numbers) {
    s = "more machines: the differences between the algorithms become more evident (V.A.a)"
    for (a = 1; a >= 0; a--) {
        hec_differ(s, a)
        list = three(a) " " greedy_as(a)
        numbers = numbers letter(a) sprintf("one machine %.2f, three %.2f", real_width("one", list),
                                            real_width("steady", list))
        says = says letter(a) less(width_low["one"], width_high["one"], width_low["steady"],
                                   width_high["steady"])
    }
    real_row(s, numbers, says)
    for (a = 1; a >= 0; a--)
        unlike("the more unlike machines, the higher the speed-up (V.A.a)", papers_way(a), "plb-hec",
               greedy_as(a), hecs, 4, HEC_APPS, (a ? "A" : "B") ": to greedy", greedy_as(a))
    for (a = 1; a >= 0; a--)
        larger("the highest gains with larger problems (VI)", papers_way(a), "plb-hec", greedy_as(a), hecs, 1,
               4, HEC_APPS, (a ? "A" : "B") ": to greedy", greedy_as(a))
}
function hec_spread(    s, c, k, j, four, cases, x, worst, count, total) {
    s = "standard deviations are small (V.A.a)"
    split("plb-hec hdss+sync acosta greedy+idle", four, " ")
    choose(hecs, 1, 4, HEC_APPS, 1, 4)
    for (c = 1; c <= of; c++)
        for (k = 1; k <= 4; k++) {
            x = spread[chosen[c], four[k]]
            if (x > worst) worst = x
            count += x < 0.05
            total++
        }
    row(s, "3 % noise of each task",
        sprintf("all sizes, the four algorithms: below 5 %% of the mean in %d of %d, at most %.1f %%", count,
                total, 100 * worst), verdict(count, total) " within 5 %")
    split("steady short one", cases, " ")
    worst = count = total = 0
    for (j = 1; j <= 3; j++)
        for (k = 1; k <= 4; k++) {
            x = real_high[four[k], cases[j]] / real_low[four[k], cases[j]]
            if (x > worst) worst = x
            count += x < 1.05
            total++
        }
    real_row(s, sprintf("longest over shortest of a case: below 1.05 in %d of %d, at most %.2f", count, total,
                        worst), verdict(count, total) " within 5 %")
}
# What the authors chose by hand is no claim. Here it is a part of the work, and more where curves do not fit.
function hec_training(    s, i, m, x, text, count) {
    s = "first blocks such that the first phase takes about 10 % of the time (V.A): a setting, not a claim"
    for (i = 1; i <= 3; i++) {
        text = text sprintf("%s%s ", i > 1 ? "; " : "", names[i])
        for (m = 1; m <= 4; m++) {
            x = training[hecs[m], apps[i], size[i, 4], "plb-hec"]
            text = text sprintf("%s%.0f", m > 1 ? ", " : "", x)
            count += x > 5 && x < 15
        }
    }
    row(s, "`training = 0.1` of the work, and more until all curves fit (III.B)",
        "largest sizes on one to four machines: " text " %", "between 5 and 15 % in " count " of 12")
    x = real_training["plb-hec", "steady"]
    real_row(s, sprintf("%.0f %%", x), (x > 5 && x < 15 ? "" : "not ") "between 5 and 15 %")
}
function hec_hdss_acosta(    s, a, c, d, all, says, numbers) {
    s = "HDSS is faster than Acosta (V.A.b)"
    for (a = 1; a >= 0; a--) {
        choose(ones, 1, 1, HEC_APPS, 1, 4, 1)
        d = sprintf("%d of %d", below(hdss_as(a), "acosta"), of)
        choose(hecs, 1, 4, HEC_APPS, 4, 4)
        c = below(hdss_as(a), "acosta") " of " of
        choose(hecs, 1, 4, HEC_APPS, 1, 4)
        all = below(hdss_as(a), "acosta")
        row(s, papers_way(a), sprintf("all sizes: in %d of %d, the largest in %s; one GPU in each machine, " \
            "smallest and largest in %s", all, of, c, d), verdict(all, of))
        numbers = numbers letter(a) seconds_of(hdss_as(a) " acosta", "steady")
        says = says letter(a) first_of(hdss_as(a), "acosta", "steady")
    }
    real_row(s, numbers, says)
}
function hec_threshold(    s, c, x, sum, high, once, always, plain, plain_sum) {
    s = "the threshold is never exceeded on dedicated machines (V.A.c)"
    choose(hecs, 1, 4, HEC_APPS, 1, 4)
    for (c = 1; c <= of; c++) {
        once += quiet[chosen[c], "plb-hec"] <= 1
        always += solves[chosen[c], "plb-hec"] <= 1
        sum += solves[chosen[c], "plb-hec"]
        if (solves[chosen[c], "plb-hec"] > high) high = solves[chosen[c], "plb-hec"]
        x = read_solves[chosen[c], "hec+plain"]
        plain += x <= 1
        plain_sum += x
    }
    row(s, "beyond what scatter explains",
        sprintf("no second solve, so no rebalancing, in %d of %d cells without noise. " \
                "With it in %d; solves: %.1f in the mean, %.1f at most",
                once, of, always, sum / of, high),
        "without noise: " verdict(once, of) "; with it: " verdict(always, of),
        "`build/bench/papers FOLDER/quiet \"\" 1 0` and `build/bench/papers FOLDER`")
    row(s, "any difference above 10 %, as in the text (III.D), with noise",
        sprintf("no second solve in %d of %d cells, %.1f solves in the mean", plain, of, plain_sum / of),
        verdict(plain, of),
        "`build/bench/papers FOLDER/readings \"\" 3 - readings`")
    real_row(s, sprintf("%d solve%s in the median run", real_solves["plb-hec", "steady"],
                        real_solves["plb-hec", "steady"] == 1 ? "" : "s"),
             yes(real_solves["plb-hec", "steady"] <= 1))
}
